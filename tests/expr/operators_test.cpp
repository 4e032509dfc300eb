// SPDX-License-Identifier: BSL-1.0
// Operators and elementwise functions: types and shapes first, then values.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

#include "expr/value_of.hpp"

namespace {

using namespace ashlar;
using ashlar_test::expect_near;
using ashlar_test::expect_same;
using ashlar_test::gives;
using ashlar_test::value_of;

inline constexpr axis<"seq", 2> seq;
inline constexpr axis<"head", 3> head;

using matrix = tensor<float, 2, 3>;
using row3 = tensor<float, 3>;
constexpr matrix m{{1, 2, 3}, {4, 5, 6}};
constexpr row3 r{1, 0, -1};
constexpr tensor<int, 3> i{7, -7, 5};
constexpr tensor<bool, 3> t{true, false, true};

template <class E>
using shape_t = shape_of<E>;
template <std::size_t... N>
using extents = shape<N...>;

// A named tensor is borrowed, a temporary is owned, a number becomes the element type.
static_assert(std::is_same_v<decltype(m + r), map_node<detail::plus_function, extents<2, 3>, float,
                                                       basic_view<const float, std::size_t{2}, std::size_t{3}>,
                                                       basic_view<const float, std::size_t{3}>>>);
static_assert(std::is_same_v<decltype(2 * row3{}),
                             map_node<detail::times_function, extents<3>, float, scalar_node<float>, row3>>);
static_assert(std::is_same_v<decltype(i % 2)::value_type, int>);
static_assert(std::is_same_v<decltype(m < r)::value_type, bool>);
static_assert(std::is_same_v<decltype(!t && true)::value_type, bool>);

// Shapes broadcast; a name wins over an integer.
static_assert(std::is_same_v<shape_t<decltype(m + tensor<float, seq, 1>{})>, shape<seq, std::size_t{3}>>);
static_assert(std::is_same_v<shape_t<decltype(tensor<float, head>{} - m)>, shape<std::size_t{2}, head>>);
static_assert(std::is_same_v<shape_t<decltype(tensor<float>{} * 2)>, shape<>>);
static_assert(std::is_same_v<shape_t<decltype(where(tensor<bool, 4, 1, 1>{}, m, r))>, extents<4, 2, 3>>);
static_assert(std::is_same_v<shape_t<decltype(clamp(r, m, 1))>, extents<2, 3>>);

// cast to the same type is no operation.
static_assert(std::is_same_v<decltype(cast<float>(m)), basic_view<const float, std::size_t{2}, std::size_t{3}>>);
static_assert(std::is_same_v<decltype(cast<float>(m + 1)), decltype(m + 1)>);
static_assert(std::is_same_v<decltype(cast<std::int8_t>(m))::value_type, std::int8_t>);

// Functions of the user's: the element type of the result is what they return.
constexpr auto half = [](float x) { return static_cast<double>(x) / 2; };
static_assert(std::is_same_v<decltype(map(half, m))::value_type, double>);
static_assert(std::is_same_v<decltype(map([](auto x) { return x * x; }, m))::value_type, float>);
static_assert(std::is_same_v<decltype(map([](auto x, auto y) { return x < y; }, m, r))::value_type, bool>);
static_assert(std::is_same_v<decltype(map([](bool x, int y) { return x ? y : 0; }, t, i))::value_type, int>);

// The operators leave other types alone.
template <class A, class B>
concept addable = requires(A a, B b) { a + b; };
static_assert(!addable<row3, std::string> && !addable<row3, const char*> && addable<row3, int>);
static_assert(addable<std::string, std::string> && !addable<row3, decltype(causal)>);

// Values in constant expressions.
static_assert(gives(m + r, matrix{{2, 2, 2}, {5, 5, 5}}));
static_assert(gives(2 - r, row3{1, 2, 3}));
static_assert(gives(m * r / 2, matrix{{0.5f, 0, -1.5f}, {2, 0, -3}}));
static_assert(gives(-(r - 1), row3{0, 1, 2}));
static_assert(gives(i % 4, tensor<int, 3>{3, -3, 1}));
static_assert(gives(i / 2, tensor<int, 3>{3, -3, 2}));
static_assert(gives(m == 2, tensor<bool, 2, 3>{{false, true, false}, {false, false, false}}));
static_assert(gives(r != 0, tensor<bool, 3>{true, false, true}));
static_assert(gives(r < 0, tensor<bool, 3>{false, false, true}));
static_assert(gives(r > 0, tensor<bool, 3>{true, false, false}));
static_assert(gives(0 >= r, tensor<bool, 3>{false, true, true}));
static_assert(gives(!t || r == 1, tensor<bool, 3>{true, true, false}));
static_assert(gives(t && false, tensor<bool, 3>{false, false, false}));
static_assert(gives(t == (r > 0), tensor<bool, 3>{true, true, false}));
static_assert(gives(t != (r > 0), tensor<bool, 3>{false, false, true}));

static_assert(gives(max(m, 3.5f), matrix{{3.5f, 3.5f, 3.5f}, {4, 5, 6}}));
static_assert(gives(min(3, i), tensor<int, 3>{3, -7, 3}));
static_assert(gives(clamp(m, 2, 5), matrix{{2, 2, 3}, {4, 5, 5}}));
static_assert(gives(relu(r), row3{1, 0, 0}));
static_assert(gives(abs(r), row3{1, 0, 1}));
static_assert(gives(abs(tensor<unsigned, 2>{3, 4}), tensor<unsigned, 2>{3, 4}));
static_assert(gives(where(t, r, 5), row3{1, 5, -1}));
static_assert(gives(where(t, 1.0f, 0.0f), row3{1, 0, 1}));
static_assert(gives(where(t, r > 0, t), tensor<bool, 3>{true, false, false}));
static_assert(gives(where(causal, tensor<float, 2, 2>{{1, 2}, {3, 4}}, 0), tensor<float, 2, 2>{{1, 0}, {3, 4}}));
static_assert(gives(cast<int>(tensor<float, 2>{1.75f, -1.75f}), tensor<int, 2>{1, -1}));
static_assert(gives(cast<float>(t) + cast<float>(i), row3{8, -7, 6}));
static_assert(gives(cast<bool>(r), t));
static_assert(gives(map(half, r), tensor<double, 3>{0.5, 0, -0.5}));
static_assert(gives(map([](auto x, auto y) { return x * y + 1; }, m, r), matrix{{2, 1, -2}, {5, 1, -5}}));
static_assert(gives(map([](auto x) { return select(x > 0, x, 2 * x); }, r), row3{1, 0, -2}));
static_assert(gives(map([](auto x, auto y) { return select(x, y, -y); }, t, r), row3{1, 0, -1}));
static_assert(gives(map([](auto) { return 4; }, r), tensor<int, 3>{4, 4, 4}));

TEST(elementwise, mathematical_functions) {
    tensor<double, 41> x;
    for (std::size_t k = 0; k < 41; ++k) x(k) = (static_cast<double>(k) - 20) / 4;
    const auto check = [&](const auto& e, auto reference) {
        tensor<double, 41> expected;
        for (std::size_t k = 0; k < 41; ++k) expected(k) = reference(x(k));
        expect_near(e, expected, 1e-12);
    };
    check(exp(x), [](double v) { return std::exp(v); });
    check(log(x * x + 0.5), [](double v) { return std::log(v * v + 0.5); });
    check(rsqrt(x * x + 1) * sqrt(abs(x)), [](double v) { return std::sqrt(std::abs(v) / (v * v + 1)); });
    check(tanh(x) + erf(x), [](double v) { return std::tanh(v) + std::erf(v); });
    check(silu(x) + sigmoid(x), [](double v) { return (v + 1) / (1 + std::exp(-v)); });
    check(gelu(x), [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2.0))); });
    check(pow(2, x), [](double v) { return std::exp2(v); });
}

TEST(elementwise, a_nan_is_passed_on) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const row3 x{nan, 1, 2}, y{1, nan, 3};
    const auto expect = [](const auto& e, bool first, bool second, bool third) {
        const auto values = value_of(e);
        EXPECT_EQ(std::isnan(values(0)), first);
        EXPECT_EQ(std::isnan(values(1)), second);
        EXPECT_EQ(std::isnan(values(2)), third);
    };
    expect(max(x, y), true, true, false);
    expect(min(x, y), true, true, false);
    expect(relu(x), true, false, false);
    expect(clamp(x, 0, 1), true, false, false);
}

template <std::size_t Columns, class Element>
void expect_maxima_of_numbers() {
    const Element nan = std::numeric_limits<Element>::quiet_NaN(), infinity = std::numeric_limits<Element>::infinity();
    tensor<Element, Columns> x;
    for (std::size_t k = 0; k < Columns; ++k) x(k) = k % 5 == 4 ? nan : k % 5 == 3 ? -infinity : Element(k) - 9;
    for (const Element number : {Element(0), Element(-3.5), infinity, nan}) {
        const auto largest = eval(max(x, number)), least = eval(min(x, number));
        for (std::size_t k = 0; k < Columns; ++k) {
            if (std::isnan(x(k)) || std::isnan(number)) {
                EXPECT_TRUE(std::isnan(largest(k)) && std::isnan(least(k))) << number << ' ' << k;
            } else {
                EXPECT_EQ(largest(k), x(k) > number ? x(k) : number) << k;
                EXPECT_EQ(least(k), x(k) < number ? x(k) : number) << k;
            }
        }
    }
}

TEST(elementwise, maxima_of_numbers_keep_each_nan) {
    expect_maxima_of_numbers<1, float>();
    expect_maxima_of_numbers<69, float>();
    expect_maxima_of_numbers<69, double>();
}

TEST(elementwise, evaluators_agree_on_rows_that_are_no_multiple_of_a_register) {
    tensor<float, 3, 37> x;
    tensor<float, 37> y;
    tensor<int, 37> n;
    tensor<bool, 37> b;
    for (std::size_t k = 0; k < x.size(); ++k) x.elements[k] = std::sin(static_cast<float>(k));
    for (std::size_t k = 0; k < 37; ++k) {
        y(k) = std::cos(static_cast<float>(k));
        n(k) = static_cast<int>(k) - 18;
        b(k) = k % 3 == 0;
    }
    expect_same(x * y / 2 - (1 - y));
    expect_same(n % 4 + n / 3);
    expect_same(where(x < y || !b, x, max(y, 0)));
    expect_same(where(causal, x, 0));
    expect_same(cast<std::int8_t>(n) * 2);
    expect_same(cast<float>(b) + cast<float>(n));
    expect_same(cast<int>(x * 10));
    expect_same(cast<bool>(n));
    expect_same(map([](float v) { return static_cast<double>(v) / 2; }, x));
    expect_same(map([](auto keep, auto v) { return select(keep, v, -v); }, b, y));
}

TEST(elementwise, compound_assignment) {
    tensor<float, 2, 2> x{{1, 2}, {3, 4}};
    x += transpose(x);
    EXPECT_TRUE(ashlar_test::equal(x, tensor<float, 2, 2>{{2, 5}, {5, 8}}));
    x[0] *= 2;
    slice<1, 1, 2>(x) -= 1;
    (x /= 2) += tensor<float, 2>{0, 1};
    EXPECT_TRUE(ashlar_test::equal(x, tensor<float, 2, 2>{{2, 5.5f}, {2.5f, 4.5f}}));
    tensor<int, 3> n{7, 8, 9};
    n %= 4;
    EXPECT_TRUE(ashlar_test::equal(n, tensor<int, 3>{3, 0, 1}));
}

}  // namespace
