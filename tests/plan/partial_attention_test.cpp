// SPDX-License-Identifier: BSL-1.0
// Attention to some of the keys runs as attention does: the same stages, fusions and scratch.
#include <string_view>

#include <gtest/gtest.h>
#include <tests/support/fusions.hpp>
#include <tests/support/machines.hpp>

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::fusion;

template <auto... Dims>
tensor<float, Dims...> x{};
template <auto... Dims>
tensor<float, Dims...> y{};
template <auto... Dims>
tensor<float, Dims...> z{};

/// Stages, scratch and fusions of a plan.
struct summary {
    std::size_t stages, scratch;
    std::array<fusion, 2> fused;

    bool operator==(const summary&) const = default;
};
template <class Machine, class E>
constexpr summary summary_of(const E& e) {
    constexpr const auto& code = detail::planned<E, Machine>::code;
    return {code.stage_count, code.scratch_bytes, support::fused<Machine>(e)};
}

template <class Machine, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values, class... Options>
constexpr summary whole(const Options&... options) {
    return summary_of<Machine>(attention(x<Queries, Depth>, y<Keys, Depth>, z<Keys, Values>, options...));
}
template <class Machine, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values, class... Options>
constexpr summary partial(const Options&... options) {
    return summary_of<Machine>(
        attention_partial(x<Queries, Depth>, y<Keys, Depth>, z<Keys, Values>, options...).expression);
}

TEST(partial_attention, has_the_stages_of_attention) {
    EXPECT_EQ((partial<avx512, 64, 64, 64, 64>()), (whole<avx512, 64, 64, 64, 64>()));
    EXPECT_EQ((partial<avx2, 70, 67, 20, 33>(causal)), (whole<avx2, 70, 67, 20, 33>(causal)));
}
TEST(partial_attention, stays_in_registers) {
    EXPECT_EQ((partial<avx512, 4, 7, 8, 8>().fused[0]), fusion::register_softmax);
    EXPECT_EQ((partial<avx512, 5, 7, 8, 16>().fused[0]), fusion::register_softmax_of_vectors);
    EXPECT_EQ((partial<avx512, 13, 7, 8, 16>().fused[0]), fusion::register_softmax_to_memory);
    EXPECT_EQ((partial<avx512, 4, 7, 8, 8>()), (whole<avx512, 4, 7, 8, 8>()));
}
TEST(partial_attention, one_query_of_a_long_cache) {
    EXPECT_EQ((partial<avx512, 1, 1024, 64, 64>()), (whole<avx512, 1, 1024, 64, 64>()));
}
TEST(partial_attention, numbers_and_text_of_what_is_evaluated) {
    using part = decltype(attention_partial(x<8, 4>, y<9, 4>, z<9, 5>));
    using attended = decltype(attention(x<8, 4>, y<9, 4>, z<9, 5>));
    static_assert(workspace_bytes<part> == workspace_bytes<attended> && flops<part> == flops<attended>);
    static_assert(plan<part>.step_count == 1 && stack_bytes<part> >= stack_bytes<attended>);
    const auto text = explain(attention_partial(x<64, 64>, y<64, 64>, z<64, 64>));
    EXPECT_NE(std::string_view(text.c_str()).find("= 1, maxima and sums to memory"), std::string_view::npos);
}

}  // namespace
