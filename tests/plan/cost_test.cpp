// SPDX-License-Identifier: BSL-1.0
// flops<E> against numbers worked out by hand: 2 for a multiply-add, 1 for any other operation, over kept pairs.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

template <auto... Dims>
tensor<float, Dims...>& x();  // never called

static_assert(flops<tensor<float, 8, 8>> == 0);
static_assert(flops<decltype(x<5, 7>() + x<7>())> == 35);
static_assert(flops<decltype(exp(x<5, 7>()) * 2.0f + 1.0f)> == 3 * 35);
static_assert(flops<decltype(transpose(x<5, 7>()) + x<7, 5>())> == 35);
static_assert(flops<decltype(cast<double>(x<5, 7>()))> == 0);
static_assert(flops<decltype(matmul(x<64, 64>(), x<64, 64>()))> == 2 * 64 * 64 * 64);
static_assert(flops<decltype(matmul(x<3, 5, 7>(), x<7, 4>()))> == 2 * 3 * 5 * 7 * 4);
static_assert(flops<decltype(dot(x<9>(), x<9>()))> == 18);
static_assert(flops<decltype(sum(x<5, 7>()))> == 35);
static_assert(flops<decltype(max<0>(x<5, 7>()))> == 35);
// maximum, subtraction, exponential, sum, multiplication
static_assert(flops<decltype(softmax(x<5, 7>()))> == 5 * 35);
static_assert(flops<decltype(matmul(gelu(matmul(x<8, 4>(), x<4, 16>()) + x<16>()), x<16, 4>()))> ==
              2 * 2 * 8 * 4 * 16 + 2 * 8 * 16);
// A let counts once: 2 * 8 * 4 * 4 for the product, two operations on 8 * 4 elements.
static_assert(flops<decltype(let(matmul(x<8, 4>(), x<4, 4>()), [](const auto& h) { return h + relu(h); }))> ==
              256 + 64);
static_assert(flops<decltype(store(x<5, 7>(), exp(x<5, 7>())))> == 35);

// Attention over P kept pairs: two products of 2 * P * D, scaling and five operations of softmax on each pair.
constexpr std::size_t attention_flops(std::size_t pairs, std::size_t depth, std::size_t width) {
    return 2 * pairs * depth + 2 * pairs * width + 6 * pairs;
}
template <class... Mask>
using attended = decltype(attention(x<64, 32>(), x<64, 32>(), x<64, 32>(), std::declval<Mask>()...));
static_assert(flops<attended<>> == attention_flops(64 * 64, 32, 32));
static_assert(flops<attended<decltype(causal)>> == attention_flops(64 * 65 / 2, 32, 32));
static_assert(flops<attended<decltype(!causal)>> == attention_flops(64 * 63 / 2, 32, 32));
static_assert(flops<attended<decltype(causal_at<-1>())>> == attention_flops(64 * 63 / 2, 32, 32));
// The diagonal, and one neighbouring pair in every row but the first.
static_assert(flops<attended<decltype(sliding_window<1, 0>)>> == attention_flops(64 + 63, 32, 32));
// What is decided at run time counts at capacity.
static_assert(flops<attended<decltype(keys_below(3))>> == attention_flops(64 * 64, 32, 32));
static_assert(flops<attended<decltype(causal && keys_below(3))>> == attention_flops(64 * 65 / 2, 32, 32));
static_assert(flops<decltype(attention(x<2, 4, 10, 8>(), x<2, 2, 20, 8>(), x<2, 2, 20, 6>(), causal))> ==
              2 * 4 * attention_flops(10 * 11 / 2, 8, 6));
static_assert(flops<decltype(attention_weights(x<64, 32>(), x<64, 32>(), causal))> == 64 * 65 / 2 * (2 * 32 + 6));
// Products that feed it are not masked.
static_assert(flops<decltype(attention(matmul(x<64, 8>(), x<8, 32>()), x<64, 32>(), x<64, 32>(), causal))> ==
              2 * 64 * 8 * 32 + attention_flops(64 * 65 / 2, 32, 32));

TEST(cost, workspace_is_that_of_the_plan) {
    EXPECT_EQ((workspace_bytes<attended<>>), (plan<attended<>>.scratch_bytes));
    EXPECT_EQ((workspace_bytes<tensor<float, 3>>), 0u);
}

}  // namespace
