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

/// The functions of a product of these extents, with plain and with packed weights, and into what is read there.
template <class T, std::size_t Rows, std::size_t Columns, std::size_t Depth>
void activate() {
    support::random_numbers random(Rows + Columns + Depth);
    static const auto a = random.normal<T, Rows, Depth>();
    static const auto b = random.uniform<T, Depth, Columns>(-0.3, 0.3);
    static const auto bias = random.normal<T, Columns>();
    static packed<T, Depth, Columns> panels;
    pack(panels, b);
    SCOPED_TRACE(testing::Message() << Rows << "x" << Columns << "x" << Depth);
    const double tolerance = sizeof(T) == 8 ? 1e-11 : 2e-5;
    check(gelu(matmul(a, b) + bias), tolerance);
    check(gelu(matmul(a, panels) + bias), tolerance);
    check(silu(matmul(a, panels) * T(0.5)) + bias, tolerance);
    static tensor<T, Rows, Columns> read = matmul(a, b);
    static const tensor<T, Rows, Columns> before = read;
    static const tensor<T, Rows, Columns> expected = tanh(matmul(a, b)) * before;
    read = tanh(matmul(a, panels)) * read;
    reference::expect_near(read, reference::of(expected), tolerance);
}

TEST(few_registers, functions_of_stored_sums) {
    support::random_numbers random(1);
    const auto a = random.normal<float, 8, 192>();
    const auto b = random.normal<float, 192, 64>();
    const auto wanted = lane_width<float, current_config> > 1 ? epilogue_time::reloaded : epilogue_time::block_end;
    EXPECT_EQ(code_of(gelu(matmul(a, b))).stages[0].how[0].product.epilogue, wanted);
    activate<float, 4, 48, 192>();
    activate<float, 9, 64, 200>();
    activate<float, 33, 80, 385>();
    activate<double, 7, 40, 193>();
}

template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth>
void attend() {
    support::random_numbers random(Queries + Keys + Depth);
    static const auto q = random.normal<T, Queries, Depth>();
    static const auto k = random.normal<T, Keys, Depth>();
    static const auto v = random.normal<T, Keys, Depth>();
    SCOPED_TRACE(testing::Message() << Queries << " queries, " << Keys << " keys of " << Depth);
    const double tolerance = sizeof(T) == 8 ? 1e-11 : 2e-5;
    check(attention(q, k, v), tolerance);
    check(attention_weights(q, k), tolerance);
    check(log_softmax(matmul(q, transpose(k))), tolerance);
}

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
    attend<float, rows, 1, 16>();
    attend<float, rows, 63, 17>();
    attend<float, rows + 1, 64, 16>();
    attend<float, 5 * width - 1, 64, 8>();
    attend<double, 31, 33, 8>();
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
