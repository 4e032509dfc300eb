// SPDX-License-Identifier: BSL-1.0
// The policy `fast` changes the type, the plan's text, values and constant expressions, and only where it is given.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
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

template <class Fast, class Precise>
void expect_near(const Fast& quick, const Precise& precise, double bound, double least) {
    const auto a = eval(quick);
    const auto b = eval(precise);
    EXPECT_LE(distance(a, b, least), bound);
    EXPECT_GT(distance(a, b, least), 1e-6);  // another polynomial
}

TEST(fast, functions) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 37, 29>(0, 3);
    const auto d = random.normal<double, 5, 7>(0, 3);
    expect_near(exp(x, fast), exp(x), 1.3e-4, 1e-30);
    expect_near(tanh(x, fast), tanh(x), 1.1e-4, 1e-30);
    expect_near(sigmoid(x, fast), sigmoid(x), 1.3e-4, 1e-30);
    expect_near(silu(x, fast), silu(x), 1.3e-4, 1e-30);
    expect_near(gelu(x, fast), gelu(x), 5.1e-5, 1);
    expect_near(gelu_tanh(x, fast), gelu_tanh(x), 1.3e-4, 1e-3);
    expect_near(exp(d, fast), exp(d), 1.3e-4, 1e-30);
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
        expect_near(attention_weights(q, k, fast, options...), attention_weights(q, k, options...), 2.6e-4, 1e-6);
    };
    const tensor<float, 64, 32> q = random.normal<float, 64, 32>(), k = random.normal<float, 64, 32>(),
                                v = random.normal<float, 64, 32>();
    check(q, k, v);
    check(q, k, v, causal, scale(0.5f));
    check(row(q, 1), k, v);
    const auto few = random.normal<float, 3, 8>();
    const auto keys = random.normal<float, 21, 8>();
    const auto values = random.normal<float, 21, 5>();
    check(few, keys, values);
    check(keys, few, few, softcap(5.0f));
}

TEST(fast, masks_hold) {
    support::random_numbers random(4);
    const float nan = __builtin_bit_cast(float, 0x7fc00000);
    const auto q = random.normal<float, 20, 8>();
    auto k = random.normal<float, 20, 8>();
    auto v = random.normal<float, 20, 8>();
    const tensor<float, 20, 8> expected = attention(q, k, v, keys_below(13), fast);
    for (std::size_t i = 13; i < 20; ++i)
        for (std::size_t j = 0; j < 8; ++j) k(i, j) = v(i, j) = nan;
    const tensor<float, 20, 8> got = attention(q, k, v, keys_below(13), fast);
    EXPECT_EQ(distance(got, expected, 1), 0);
    const tensor<float, 20, 8> none = attention(q, k, v, keys_below(0), fast);
    EXPECT_EQ(max(abs(none)), 0);
    // A mask's provenance passes through a fast exponential as through any other.
    const tensor<float, 20, 8> by_hand = matmul(exp(masked(matmul(q, transpose(k)), keys_below(13)), fast), v);
    EXPECT_LT(max(abs(by_hand)), 1e30f);
}

TEST(fast, is_in_the_text_of_the_plan) {
    const auto says = [](const auto& text, std::string_view part) {
        return std::string_view(text.data(), text.size()).find(part) != std::string_view::npos;
    };
    static const tensor<float, 64, 32> x{};
    EXPECT_TRUE(says(explain(attention(x, x, x, fast)), ", fast)")) << explain(attention(x, x, x, fast)).data();
    EXPECT_FALSE(says(explain(attention(x, x, x)), "fast"));
    EXPECT_TRUE(says(explain(exp(x + 1, fast)), "exp(a + s, fast)")) << explain(exp(x + 1, fast)).data();
    EXPECT_TRUE(says(explain(gelu(matmul(x, transpose(x)), fast)), "gelu(_, fast)"))
        << explain(gelu(matmul(x, transpose(x)), fast)).data();
}

}  // namespace
