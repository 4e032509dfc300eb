// SPDX-License-Identifier: BSL-1.0
// The policy `fast` changes the type, the plan's text, values and constant expressions, and only where it is given.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>
#include <tests/support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

using matrix = tensor<float, 37, 29>;
[[maybe_unused]] const matrix probe{};

// It is part of the type, and nothing else is.
static_assert(!std::is_same_v<decltype(exp(probe)), decltype(exp(probe, fast))>);
static_assert(std::is_same_v<decltype(softmax(probe * 1)), softmax_node<softmax_kind::plain, 1, decltype(probe * 1)>>);
static_assert(std::is_same_v<decltype(softmax(probe * 1, fast)),
                             softmax_node<softmax_kind::plain, 1, decltype(probe * 1), fast_t>>);
static_assert(std::is_same_v<decltype(attention(probe, probe, probe, fast, causal)),
                             decltype(attention(probe, probe, probe, causal, fast))>);
static_assert(
    std::is_same_v<decltype(attention(probe, probe, probe, fast)),
                   decltype(matmul(softmax(matmul(probe, transpose(probe)) * rsqrt_extent<29>, fast), probe))>);
static_assert(flops<decltype(gelu(probe, fast))> == flops<decltype(gelu(probe))>);
static_assert(workspace_bytes<decltype(attention(probe, probe, probe, fast))> ==
              workspace_bytes<decltype(attention(probe, probe, probe))>);

/// The largest distance of two tensors, relative to elements of the second or to `least`.
template <class A, class B>
constexpr double distance(const A& a, const B& b, double least) {
    double worst = 0;
    for (std::size_t i = 0; i < A::size; ++i) {
        const double x = static_cast<double>(a.data()[i]), y = static_cast<double>(b.data()[i]);
        const double magnitude = y < 0 ? -y : y, between = x < y ? y - x : x - y;
        worst = std::max(worst, between / std::max(magnitude, least));
    }
    return worst;
}

// In constant expressions too, where fast functions are as coarse.
constexpr tensor<float, 2, 3> small{{0.5f, -1, 2}, {-3, 0.25f, 1}};
constexpr tensor<float, 2, 3> shares = softmax(small), fast_shares = softmax(small, fast);
static_assert(distance(fast_shares, shares, 1e-30) < 2.5e-4 && distance(fast_shares, shares, 1e-30) > 1e-6);
constexpr tensor<float, 2, 3> units = gelu(small), fast_units = gelu(small, fast);
static_assert(distance(fast_units, units, 1) < 5e-5 && distance(fast_units, units, 1) > 1e-6);
constexpr tensor<float, 2, 3> attended = attention(small, small, small, causal),
                              fast_attended = attention(small, small, small, causal, fast);
static_assert(distance(fast_attended, attended, 1) < 5e-4 && distance(fast_attended, attended, 1) > 1e-7);

[[gnu::noinline]] void expect_between(double distance, double bound) {
    EXPECT_LE(distance, bound);
    EXPECT_GT(distance, 1e-6);  // another polynomial
}
/// The kernels' fast result and the precise one, which no kernel computes.
template <class Fast, class Precise>
void expect_near(const Fast& quick, const Precise& precise, double bound, double least) {
    expect_between(distance(eval(quick), detail::constant_evaluate(precise), least), bound);
}

TEST(fast, functions) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 37, 29>(0, 3);
    const auto d = random.normal<double, 5, 7>(0, 3);
    expect_near(exp(x, fast), exp(x), 1.3e-4, 1e-30);
    expect_near(tanh(x, fast), tanh(x), 1.1e-4, 1e-30);
    expect_near(sigmoid(x, fast), sigmoid(x), 1.3e-4, 1e-30);
    expect_near(silu(x, fast), silu(x), 1.3e-4, 1e-30);
    expect_near(gelu_tanh(x, fast), gelu_tanh(x), 1.3e-4, 1e-3);
    expect_near(gelu(d, fast), gelu(d), 5.1e-5, 1);
    const auto w = random.normal<float, 29, 64>();
    expect_near(matmul(gelu(matmul(x, w), fast), transpose(w)), matmul(gelu(matmul(x, w)), transpose(w)), 3e-3, 1);
}

TEST(fast, softmax) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 37, 29>(0, 3);
    expect_near(softmax(x, fast), softmax(x), 2.5e-4, 1e-30);
    expect_near(softmax<0>(x, fast), softmax<0>(x), 2.5e-4, 1e-30);
    const auto few = random.normal<float, 3, 40>();
    expect_near(softmax(few, fast), softmax(few), 2.5e-4, 1e-30);
}

TEST(fast, attention) {
    support::random_numbers random(3);
    const auto check = [](const auto& q, const auto& k, const auto& v, auto... options) {
        expect_near(attention(q, k, v, options..., fast), attention(q, k, v, options...), 5e-4, 1);
    };
    const auto q = random.normal<float, 64, 32>(), k = random.normal<float, 64, 32>();
    check(q, k, k, causal, scale(0.5f));
    check(row(q, 1), k, k);
    const auto few = random.normal<float, 3, 8>();
    const auto keys = random.normal<float, 21, 8>();
    check(few, keys, random.normal<float, 21, 5>());
    check(keys, few, few, softcap(5.0f));
    expect_near(attention_weights(q, k, fast, causal), attention_weights(q, k, causal), 2.6e-4, 1e-6);
}

TEST(fast, masks_hold) {
    support::random_numbers random(4);
    const float nan = __builtin_bit_cast(float, 0x7fc00000);
    const auto q = random.normal<float, 20, 8>();
    auto k = random.normal<float, 20, 8>();
    auto v = random.normal<float, 20, 8>();
    const auto attend = [&](std::size_t n) { return eval(attention(q, k, v, keys_below(n), fast)); };
    const auto expected = attend(13);
    for (std::size_t i = 13; i < 20; ++i)
        for (std::size_t j = 0; j < 8; ++j) k(i, j) = v(i, j) = nan;
    EXPECT_EQ(distance(attend(13), expected, 1), 0);
    for (const float x : attend(0)) EXPECT_EQ(x, 0);
    // A mask's provenance passes through a fast exponential as through any other.
    const tensor<float, 20, 8> by_hand = matmul(exp(masked(matmul(q, transpose(k)), keys_below(13)), fast), v);
    for (const float x : by_hand) EXPECT_LT(std::abs(x), 1e30f);
}

TEST(fast, is_in_the_text_of_the_plan) {
    static const tensor<float, 64, 32> x{};
    EXPECT_TRUE(explain(attention(x, x, x, fast)).contains(", fast)")) << explain(attention(x, x, x, fast)).data();
    EXPECT_FALSE(explain(attention(x, x, x)).contains("fast"));
    EXPECT_TRUE(explain(exp(x + 1, fast)).contains("exp(a + s, fast)"));
    EXPECT_TRUE(explain(gelu(matmul(x, transpose(x)), fast)).contains("gelu(_, fast)"));
}

}  // namespace
