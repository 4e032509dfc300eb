// SPDX-License-Identifier: BSL-1.0
// What plans do with 16 registers, whatever the compiling machine has: costly functions read the stored sums of a
// block, and softmaxes of few columns process two registers of rows at a time.
#undef ASHLAR_REGISTERS
#define ASHLAR_REGISTERS 16
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using detail::epilogue_time;
using support::check;

template <class E>
constexpr const auto& code_of(const E&) {
    return detail::planned<E, current_config>::code;
}

/// With plain and with packed weights, and into what is read there.
TEST(few_registers, functions_of_stored_sums) {
    support::random_numbers random(1);
    static const auto a = random.normal<float, 33, 385>();
    static const auto b = random.uniform<float, 385, 80>(-0.3, 0.3);
    static const auto bias = random.normal<float, 80>();
    static packed<float, 385, 80> panels;
    pack(panels, b);
    const auto wanted = lane_width<float, current_config> > 1 ? epilogue_time::reloaded : epilogue_time::block_end;
    EXPECT_EQ(code_of(gelu(matmul(a, b) + bias)).stages[0].how[0].product.epilogue, wanted);
    check(gelu(matmul(a, b) + bias), 2e-5);
    check(gelu(matmul(a, panels) + bias), 2e-5);
    check(silu(matmul(a, panels) * 0.5f) + bias, 2e-5);
    static auto read = random.normal<float, 33, 80>();
    const auto e = tanh(matmul(a, panels)) * read;
    static const tensor<float, 33, 80> expected = detail::constant_evaluate(e);
    read = e;
    reference::expect_near(read, reference::of(expected), 2e-5);
}

template <std::size_t Queries, std::size_t Keys, std::size_t Depth>
struct case_of {
    support::random_numbers random{1};
    tensor<float, Queries, Depth> q = random.normal<float, Queries, Depth>();
    tensor<float, Keys, Depth> k = random.normal<float, Keys, Depth>();

    void check_attention() const { check(attention(q, k, k), 2e-5); }
};

TEST(few_registers, pairs_of_registers) {
    constexpr std::size_t width = lane_width<float, current_config>, rows = 2 * width;
    static const auto q = support::random_numbers(1).normal<float, rows, 16>();
    static const auto k = support::random_numbers(2).normal<float, 64, 16>();
    static const auto more = support::random_numbers(3).normal<float, 65, 16>();
    const auto pairs = [](const auto& e) {
        std::size_t count = 0;
        for (const auto& stage : code_of(e).stages)
            count += stage.kind == detail::stage_kind::softmax && stage.how[0].rows.together == 2;
        return count;
    };
    EXPECT_EQ(pairs(attention(q, k, k)), width >= 8 ? 1u : 0u);
    EXPECT_EQ(pairs(attention(q, more, more)), 0u) << "too many columns";
    EXPECT_EQ(pairs(attention(q, k, k, keys_below(9))), 0u) << "rows whose columns differ";
    case_of<rows, 1, 16>().check_attention();
    case_of<rows + 1, 64, 16>().check_attention();
    const case_of<5 * width - 1, 63, 17> all;
    all.check_attention();
    check(attention_weights(all.q, all.k), 2e-5);
    check(log_softmax(matmul(all.q, transpose(all.k))), 2e-5);
}

// Scores far below the greatest one, by 200 and by more than a magic number carries.
TEST(few_registers, pairs_of_rows_that_vanish) {
    constexpr std::size_t rows = 2 * lane_width<float, current_config>;
    static auto scores = support::random_numbers(4).normal<float, rows, 8>();
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 1; j < 8; ++j) scores(i, j) = i % 2 == 0 ? -1e30f : -200.0f;
    static const tensor<float, 8, 8> identity = [] {
        tensor<float, 8, 8> t{};
        for (std::size_t i = 0; i < 8; ++i) t(i, i) = 1;
        return t;
    }();
    const tensor<float, rows, 8> weights = softmax(matmul(scores, identity) * 2.0f);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < 8; ++j) ASSERT_EQ(weights(i, j), j == 0 ? 1.0f : 0.0f) << i << ", " << j;
}

}  // namespace
