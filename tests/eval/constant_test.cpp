// SPDX-License-Identifier: BSL-1.0
// constant_evaluate: every kind of node in constant expressions and against naive references at run time.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/eval/constant/constant.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/shape_constants.hpp>
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

namespace {

using namespace ashlar;
using detail::constant_evaluate;
using detail::constant_stack_bytes;
using reference::expect_near;
using reference::of;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class A, class B>
constexpr bool same(const A& a, const B& b) {
    for (std::size_t i = 0; i < A::size; ++i)
        if (a.begin()[i] != b.begin()[i]) return false;
    return A::extents == B::extents;
}

constexpr tensor<int, 2, 3> whole{{1, 2, 3}, {4, 5, 6}};
constexpr tensor<float, 2, 3> real{{1, 2, 3}, {4, 5, 6}};

// Nodes that only move elements.
static_assert(same(constant_evaluate(whole), whole));
static_assert(same(constant_evaluate(transpose(whole + whole)), tensor<int, 3, 2>{{2, 8}, {4, 10}, {6, 12}}));
static_assert(same(constant_evaluate(reshape<3, 2>(whole + 1)), tensor<int, 3, 2>{{2, 3}, {4, 5}, {6, 7}}));
static_assert(same(constant_evaluate(slice<1, 0, 3, 2>(-whole)), tensor<int, 2, 2>{{-1, -3}, {-4, -6}}));
static_assert(same(constant_evaluate(broadcast_to<2, 2, 3>(whole * 1)),
                   tensor<int, 2, 2, 3>{{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}}));
static_assert(same(constant_evaluate(concat<1>(whole, whole + 6)),
                   tensor<int, 2, 6>{{1, 2, 3, 7, 8, 9}, {4, 5, 6, 10, 11, 12}}));
static_assert(same(constant_evaluate(take<1>(whole, tensor<int, 2>{2, 0})), tensor<int, 2, 2>{{3, 1}, {6, 4}}));

// Elementwise, of every element type.
static_assert(same(constant_evaluate(whole + tensor<int, 3>{10, 20, 30}),
                   tensor<int, 2, 3>{{11, 22, 33}, {14, 25, 36}}));
static_assert(same(constant_evaluate(where(whole > 3, real, 0.0f)), tensor<float, 2, 3>{{0, 0, 0}, {4, 5, 6}}));
static_assert(same(constant_evaluate(cast<int>(whole > 4)), tensor<int, 2, 3>{{0, 0, 0}, {0, 1, 1}}));
static_assert(same(constant_evaluate(!(whole > 2) && whole != 1),
                   tensor<bool, 2, 3>{{false, true, false}, {false, false, false}}));

// Reductions.
static_assert(same(constant_evaluate(sum<1>(whole, keep_dims)), tensor<int, 2, 1>{{6}, {15}}));
static_assert(same(constant_evaluate(variance<0>(real)), tensor<float, 3>{2.25f, 2.25f, 2.25f}));
static_assert(constant_evaluate(argmax(tensor<float, 5>{1, 7, nan, 9, nan}))() == 2);
static_assert(constant_evaluate(all(whole > 0))() && !constant_evaluate(all(whole > 1))());
static_assert(constant_evaluate(any(whole > 5))() && !constant_evaluate(any(whole > 6))());

// Products.
static_assert(same(constant_evaluate(matmul(whole, tensor<int, 3>{1, 0, -1})), tensor<int, 2>{-2, -2}));

// let: the value is computed once, and inner lets see outer ones.
static_assert(same(
    constant_evaluate(let(whole + 1, [](const auto& a) { return let(a * 2, [&](const auto& b) { return b - a; }); })),
    tensor<int, 2, 3>{{2, 3, 4}, {5, 6, 7}}));

// A name twice in one expression, at different depths: g++ 12 took one of these empty objects for the other.
constexpr tensor<float, 3, 3> counted{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
static_assert(same(constant_evaluate(let(-counted, [](const auto& y) { return where(keys_below(2), y, 0.5f) + y; })),
                   tensor<float, 3, 3>{{-2, -4, -2.5f}, {-8, -10, -5.5f}, {-14, -16, -8.5f}}));
static_assert(same(constant_evaluate(let(
                       counted, [](const auto& y) { return where(causal, y, 0.5f) + (y - where(causal, 1.0f, y)); })),
                   tensor<float, 3, 3>{{1, 0.5f, 0.5f}, {7, 9, 0.5f}, {13, 15, 17}}));
static_assert(same(constant_evaluate(index<0>(counted) + (index<0>(counted) * 2 + index<0>(counted)) +
                                     index<1>(counted)),
                   tensor<std::int32_t, 3, 3>{{0, 1, 2}, {4, 5, 6}, {8, 9, 10}}));

// store writes in constant expressions too.
constexpr bool stores() {
    tensor<int, 2, 3> kept{};
    tensor<int, 3, 2> turned{};
    const auto twice = constant_evaluate(store(transpose(turned), store(kept, whole * 2)) + 1);
    return same(kept, constant_evaluate(whole * 2)) && same(turned, constant_evaluate(transpose(whole) * 2)) &&
           same(twice, constant_evaluate(whole * 2 + 1));
}
static_assert(stores());

// Masks.
static_assert(same(constant_evaluate(masked_fill(whole, causal, 0)), tensor<int, 2, 3>{{0, 2, 3}, {0, 0, 6}}));

// Rows without a kept key: zeros; their logarithms stay minus infinity.
constexpr auto nothing = full<float, 2, 3>(-infinity);
static_assert(same(constant_evaluate(softmax(nothing)), zeros<float, 2, 3>()));
static_assert(same(constant_evaluate(log_softmax(nothing)), nothing));
static_assert(same(constant_evaluate(logsumexp(nothing)), full<float, 2>(-infinity)));

// An attention of 8 x 8 x 4 within the default limits of the compilers, with a key and a value that are not numbers.
constexpr auto make_rows(float phase, float last) {
    auto t =
        generate<float, 8, 4>([&](auto i, auto j) { return phase - 0.25f * static_cast<float>((3 * i + 5 * j) % 7); });
    for (std::size_t j = 0; j < 4; ++j) t(7, j) = last;
    return t;
}
constexpr auto q = make_rows(0.5f, 1), k = make_rows(0.75f, nan), v = make_rows(1, infinity);
constexpr auto attended =
    constant_evaluate(matmul(softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<4>, causal&& keys_below(7))), v));
static_assert(attended(0, 0) == v(0, 0) && attended(7, 3) < 2);

// The stack that run time needs: the scores of one product; nothing for what is computed in place.
static_assert(constant_stack_bytes<decltype(matmul(softmax(matmul(q, transpose(k)) * 0.5f), v))>() ==
              sizeof(float) * (8 * 8 + 4 * 8));
static_assert(constant_stack_bytes<decltype(softmax(exp(q + k) * 2.0f))>() == 0);

TEST(constant_evaluate, is_what_it_is_at_run_time) {
    const auto at_run_time = constant_evaluate(
        matmul(softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<4>, causal && keys_below(7))), v));
    expect_near(attended, of(at_run_time), 1e-6);
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= query && key < 7; };
    expect_near(attended, reference::attend(of(q), of(k), of(v), options).values, 1e-6);
}

constexpr double epsilon = static_cast<double>(std::numeric_limits<float>::epsilon());

TEST(constant_evaluate, elementwise_functions) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 3, 5, 7>();
    const auto y = random.uniform<float, 5, 1>(0.5, 2);
    const auto check = [&](const auto& e, double (*f)(double, double)) {
        expect_near(constant_evaluate(e), reference::zip(of(x), of(y), f), 16 * epsilon);
    };
    check(x / y - x, [](double a, double b) { return a / b - a; });
    check(exp(x * y), [](double a, double b) { return std::exp(a * b); });
    check(log(y) + x, [](double a, double b) { return a + std::log(b); });
    check(tanh(x) * y, [](double a, double b) { return std::tanh(a) * b; });
    check(where(x < y, x, y), [](double a, double b) { return a < b ? a : b; });
    check(max(x, y), [](double a, double b) { return std::max(a, b); });
    check(map([](auto a, auto b) { return a * a - b; }, x, y), [](double a, double b) { return a * a - b; });
}

template <class T, std::size_t Axis>
void reductions() {
    support::random_numbers random(2);
    const auto x = random.normal<T, 4, 17, 5>();
    const double tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
    const auto check = [&](const auto& e, double (*f)(const reference::line&), double within) {
        expect_near(constant_evaluate(e), reference::reduce(of(x), Axis, false, f), within);
    };
    check(sum<Axis>(x), reference::sum, tolerance);
    check(mean<Axis>(x), reference::mean, tolerance);
    check(max<Axis>(x), reference::max, 0);
    check(min<Axis>(x), reference::min, 0);
    check(variance<Axis>(x), reference::variance, tolerance);
    check(argmax<Axis>(x), reference::argmax, 0);
    check(logsumexp<Axis>(x), reference::logsumexp, tolerance);
    expect_near(constant_evaluate(softmax<Axis>(x)), reference::softmax(of(x), Axis), tolerance);
    expect_near(constant_evaluate(log_softmax<Axis>(x)), reference::log_softmax(of(x), Axis), tolerance);
}
TEST(constant_evaluate, reductions_over_every_axis) {
    reductions<float, 0>();
    reductions<double, 1>();
    reductions<float, 2>();
    const auto x = support::random_numbers(2).normal<float, 4, 17, 5>();
    expect_near(constant_evaluate(sum<0, 2>(x, keep_dims)),
                reference::reduce(reference::reduce(of(x), 2, true, reference::sum), 0, true, reference::sum),
                8 * epsilon);
}

TEST(constant_evaluate, norms_and_products) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 3, 33>(2, 3);
    const auto gamma = random.normal<float, 33>(), beta = random.normal<float, 33>();
    expect_near(constant_evaluate(layer_norm(x, gamma, beta, 1e-5)),
                reference::layer_norm(of(x), of(gamma), of(beta), 1e-5), 16 * epsilon);
    expect_near(constant_evaluate(rms_norm(x, gamma, 1e-5)), reference::rms_norm(of(x), of(gamma), 1e-5), 16 * epsilon);
    // Products.
    const auto a = random.normal<float, 3, 1, 5, 7>();
    const auto b = random.normal<float, 2, 7, 4>();
    expect_near(constant_evaluate(matmul(a, b)), reference::matmul(of(a), of(b)), 16 * epsilon);
    expect_near(constant_evaluate(matmul(transpose(b), transpose(a))),
                reference::matmul(reference::transpose(of(b)), reference::transpose(of(a))), 16 * epsilon);
}

TEST(constant_evaluate, reads_every_layout) {
    support::random_numbers random(5);
    const auto x = random.normal<float, 4, 6, 3>();
    const auto r = of(x);
    const auto order = reference::permute(r, {2, 0, 1});
    expect_near(constant_evaluate(permute<2, 0, 1>(x + 0.0f)), order, 0);
    expect_near(constant_evaluate(permute<2, 0, 1>(x) + 0.0f), order, 0);
    expect_near(constant_evaluate(slice<1, 1, 6, 2>(x + 0.0f)), of(slice<1, 1, 6, 2>(x)), 0);
    expect_near(constant_evaluate(x[2] + 0.0f), of(x[2]), 0);
    tensor<float, 6, 4, 3> turned{};
    static_cast<void>(constant_evaluate(store(permute<1, 0, 2>(turned), x * 1.0f)));
    expect_near(turned, reference::permute(r, {1, 0, 2}), 0);
}

TEST(constant_evaluate, keeps_what_ieee_says_where_no_mask_speaks) {
    if (current_config::fast_math) GTEST_SKIP() << "-ffast-math promises nothing about NaN";
    const tensor<float, 3, 3> x{{1, infinity, 0}, {nan, 1, 0}, {-infinity, 1, 0}};
    const reference::array weights = of(constant_evaluate(softmax(x)));
    EXPECT_TRUE(std::isnan(weights.values[1]) && std::isnan(weights.values[3]) && std::isnan(weights.values[4]));
    EXPECT_EQ(weights.values[6], 0);
    const reference::array lse = of(constant_evaluate(logsumexp(x)));
    EXPECT_EQ(lse.values[0], infinity);
    EXPECT_TRUE(std::isnan(lse.values[1]));
    // A weight that happens to be zero is not a mask.
    const tensor<float, 1, 2> scores{{0, -infinity}};
    const tensor<float, 2, 1> values{{1}, {nan}};
    EXPECT_TRUE(std::isnan(constant_evaluate(matmul(softmax(scores), values))(0, 0)));
}

}  // namespace
