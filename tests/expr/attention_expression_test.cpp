// SPDX-License-Identifier: BSL-1.0
// attention: the expression it builds, its shapes and names, and values of every option against a naive reference.
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>
#include <support/random.hpp>
#include <support/reference.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using reference::expect_near;
using reference::of;

inline constexpr axis<"seq", 6> seq;
inline constexpr axis<"key", 7> key;
inline constexpr axis<"head", 4> head;
inline constexpr axis<"heads", 8> heads;
inline constexpr axis<"kv_heads", 2> kv_heads;

template <class E, auto... Dims>
constexpr bool has_dims = std::is_same_v<shape_of<E>, typename tensor<float, Dims...>::shape_type>;
template <auto... Dims>
using given = tensor<float, Dims...>&;

constexpr bool near(std::size_t q, std::size_t k) { return (q > k ? q - k : k - q) <= 2; }

// The expression is the one written by hand.
constexpr auto by_hand = [](auto& q, auto& k, auto& v) {
    return matmul(softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<head>, causal && keys_below(3))), v);
};
constexpr auto by_name = [](auto& q, auto& k, auto& v) { return attention(q, k, v, causal && keys_below(3)); };
template <class F>
using of_seq = std::invoke_result_t<F, given<seq, head>, given<key, head>, given<key, 5>>;
static_assert(std::is_same_v<of_seq<decltype(by_hand)>, of_seq<decltype(by_name)>>);
static_assert(
    std::is_same_v<
        decltype(attention_weights(std::declval<given<seq, head>>(), std::declval<given<seq, head>>(), causal)),
        decltype(softmax(masked(matmul(std::declval<given<seq, head>>(), transpose(std::declval<given<seq, head>>())) *
                                    rsqrt_extent<head>,
                                causal)))>);

// Shapes and names.
template <class Q, class K, class V>
using result = decltype(attention(std::declval<Q>(), std::declval<K>(), std::declval<V>()));
static_assert(has_dims<result<given<seq, head>, given<key, head>, given<key, 5>>, seq, 5>);
static_assert(has_dims<result<given<head>, given<key, head>, given<key, head>>, head>);
static_assert(has_dims<result<given<2, heads, seq, head>, given<2, kv_heads, key, head>, given<2, kv_heads, key, head>>,
                       2, heads, seq, head>);
static_assert(has_dims<result<given<2, heads, seq, head>, given<1, key, head>, given<key, 5>>, 2, heads, seq, 5>);
static_assert(has_dims<result<given<seq, head>, given<2, 3, key, head>, given<3, key, 5>>, 2, 3, seq, 5>);
static_assert(
    has_dims<decltype(attention_weights(std::declval<given<head>>(), std::declval<given<key, head>>())), key>);

// A tensor that is passed as a temporary is owned, also inside an option.
static_assert(sizeof(decltype(attention(tensor<float, 2, 3>{}, tensor<float, 2, 3>{}, tensor<float, 2, 3>{}))) >=
              3 * sizeof(tensor<float, 2, 3>));
static_assert(sizeof(decltype(attention(std::declval<given<2, 3>>(), std::declval<given<2, 3>>(),
                                        std::declval<given<2, 3>>(), bias(tensor<float, 2, 2>{})))) >=
              sizeof(tensor<float, 2, 2>));

// Compares attention and its weights, evaluated as in constant expressions, with the reference. At run time:
// tests/eval/attention_*.
template <class Q, class K, class V, class... Options>
void check(const Q& q, const K& k, const V& v, const reference::attention_options& options,
           const Options&... given_options) {
    const auto expected = reference::attend(of(q), of(k), of(v), options);
    expect_near(detail::constant_evaluate(attention(q, k, v, given_options...)), expected.values, 1e-5);
    expect_near(detail::constant_evaluate(attention_weights(q, k, given_options...)), expected.weights, 1e-5);
}

struct inputs {
    support::random_numbers random{7};
    tensor<float, 5, 4> q = random.normal<float, 5, 4>();
    tensor<float, 7, 4> k = random.normal<float, 7, 4>();
    tensor<float, 7, 3> v = random.normal<float, 7, 3>();
};

TEST(attention, masks) {
    inputs in;
    const auto keeping = [](auto f) {
        return reference::attention_options{.keep = [f](const reference::index&, std::size_t q, std::size_t k) {
            return f(static_cast<int>(q), static_cast<int>(k));
        }};
    };
    const auto bools = in.random.truths<5, 7>();
    const auto padding = in.random.truths<7>(0.6);
    check(in.q, in.k, in.v, keeping([](int q, int k) { return k <= q; }), causal);
    check(in.q, in.k, in.v, keeping([](int q, int k) { return k <= q + 2; }), causal_at(2));
    check(in.q, in.k, in.v, keeping([](int q, int k) { return k <= q - 2; }), causal_at<-2>());
    check(in.q, in.k, in.v, keeping([](int q, int k) { return q - 1 <= k && k <= q + 2; }), sliding_window<1, 2>);
    check(in.q, in.k, in.v, keeping([](int, int) { return false; }), keys_below(0));
    check(in.q, in.k, in.v, keeping([](int q, int k) { return std::abs(q - k) <= 2; }), keep_if<near>);
    check(in.q, in.k, in.v, keeping([&](int, int k) { return !padding(k); }), ignore(padding));
    check(in.q, in.k, in.v, keeping([&](int q, int k) { return (k <= q && padding(k)) || !bools(q, k); }),
          (causal && keep(padding)) || !keep(bools));
}

TEST(attention, options) {
    inputs in;
    const auto rel = in.random.normal<float, 5, 7>();
    check(in.q, in.k, in.v, {.scale = 0.25}, scale(0.25));
    check(in.q, in.k, in.v, {.softcap = 0.5}, softcap(0.5f));
    check(in.q, in.k, in.v, {.bias = of(rel)}, bias(rel));
    check(in.q, in.k, in.v,
          {.score_mod = [](double s, std::size_t q,
                           std::size_t k) { return s - 0.5 * (static_cast<double>(q) - static_cast<double>(k)); }},
          score_mod([](auto s, auto q, auto k) { return s - 0.5f * (q - k); }));
}

// The order is scale, softcap, bias, score_mod, mask, however the options are given.
TEST(attention, options_apply_in_a_fixed_order) {
    inputs in;
    const auto rel = in.random.normal<float, 5, 7>();
    const reference::attention_options all{
        .scale = 2,
        .softcap = 0.75,
        .bias = of(rel),
        .score_mod = [](double s, std::size_t, std::size_t k) { return 0.5 * s * static_cast<double>(k); },
        .keep = [](const reference::index&, std::size_t q, std::size_t k) { return k <= q + 1; }};
    const auto f = score_mod([](auto s, auto, auto k) { return s * 0.5f * k; });
    check(in.q, in.k, in.v, all, scale(2), softcap(0.75), bias(rel), f, causal_at(1));
    check(in.q, in.k, in.v, all, causal_at(1), f, bias(rel), softcap(0.75), scale(2));
}

TEST(attention, grouped_queries_and_batches) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 2, 6, 5, 4>();
    const auto k = random.normal<float, 2, 3, 7, 4>();
    const auto v = random.normal<float, 2, 3, 7, 8>();
    const tensor<int, 2> lengths{3, 7};
    check(q, k, v, {});
    check(q, k, v,
          {.keep = [&](const reference::index& batch, std::size_t,
                       std::size_t j) { return static_cast<int>(j) < lengths(batch[0]); }},
          keys_below(lengths));
    const auto padding = random.truths<2, 1, 1, 7>();
    check(q, k, v,
          {.keep = [&](const reference::index& batch, std::size_t i,
                       std::size_t j) { return padding(batch[0], 0, 0, j) && j <= i; }},
          keep(padding) && causal);
    const auto per_head = random.uniform<float, 6, 1, 1>(0.1, 1);
    const auto expected =
        reference::attend(of(q), of(k), of(v), {.bias = of(eval(broadcast_to<2, 6, 5, 7>(per_head)))});
    expect_near(detail::constant_evaluate(attention(q, k, v, bias(per_head))), expected.values, 1e-5);
    // One factor for each head is the same as scaled queries.
    expect_near(detail::constant_evaluate(attention(q, k, v, scale(per_head))),
                of(detail::constant_evaluate(attention(q * per_head, k, v, scale(1)))), 1e-5);
}

constexpr tensor<float, 2, 2> unit{{1, 0}, {0, 1}};
constexpr tensor<float, 2, 2> first_row_is_itself = attention(unit, unit, unit, causal);
static_assert(first_row_is_itself(0, 0) == 1 && first_row_is_itself(0, 1) == 0);

}  // namespace
