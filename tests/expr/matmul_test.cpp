// SPDX-License-Identifier: BSL-1.0
// Matrix products: shapes, names, promotion of vectors and broadcasting of batches.
#include <type_traits>

#include <gtest/gtest.h>
#include <support/random.hpp>
#include <support/reference.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 6> seq;
inline constexpr axis<"key", 6> key;
inline constexpr axis<"head", 4> head;
inline constexpr axis<"batch", 3> batch;

template <class A, class B>
using product = shape_of<decltype(matmul(std::declval<A>(), std::declval<B>()))>;
template <class T, auto... Dims>
using dims = typename tensor<T, Dims...>::shape_type;

static_assert(std::is_same_v<product<tensor<float, 2, 3>, tensor<float, 3, 5>>, dims<float, 2, 5>>);
static_assert(std::is_same_v<product<tensor<float, 3>, tensor<float, 3, 5>>, dims<float, 5>>);
static_assert(std::is_same_v<product<tensor<float, 2, 3>, tensor<float, 3>>, dims<float, 2>>);
static_assert(std::is_same_v<product<tensor<float, 3>, tensor<float, 3>>, dims<float>>);
static_assert(std::is_same_v<product<tensor<float, 3>, tensor<float, 7, 3, 5>>, dims<float, 7, 5>>);
static_assert(std::is_same_v<product<tensor<float, 7, 2, 3>, tensor<float, 3>>, dims<float, 7, 2>>);
static_assert(std::is_same_v<product<tensor<float, 7, 1, 2, 3>, tensor<float, 4, 3, 5>>, dims<float, 7, 4, 2, 5>>);
// Names: of both free axes and of whichever batch axis has one.
static_assert(std::is_same_v<product<tensor<float, seq, head>, tensor<float, head, key>>, dims<float, seq, key>>);
static_assert(
    std::is_same_v<product<tensor<float, 3, seq, head>, tensor<float, batch, 4, 5>>, dims<float, batch, seq, 5>>);

static_assert(matmul_compatible<tensor<float, 2, 3>, tensor<float, 3, 2>>);
static_assert(matmul_compatible<tensor<float, seq, head>&, const tensor<float, 4, 2>&>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, tensor<float, 2, 3>>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, tensor<double, 3, 2>>);
static_assert(!matmul_compatible<tensor<float, head, seq>, tensor<float, key, head>>);
static_assert(!matmul_compatible<tensor<float, 2, 2, 3>, tensor<float, 3, 3, 2>>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, float>);

// Named tensors are borrowed, everything else is owned.
using lazy = decltype(matmul(std::declval<tensor<float, 2, 3>&>(), std::declval<tensor<float, 3, 2>>()));
static_assert(lazy::kind == node_kind::matmul);
static_assert(
    std::is_same_v<std::remove_cvref_t<decltype(std::declval<lazy>().operand<0>())>, tensor_view<const float, 2, 3>>);
static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<lazy>().operand<1>())>, tensor<float, 3, 2>>);

// Values.
constexpr tensor<float, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
constexpr tensor<float, 3, 2> b{{1, 0}, {0, 1}, {2, 2}};
constexpr tensor<float, 3> v{1, 10, 100};
constexpr tensor<float, 2, 2> ab = matmul(a, b);
static_assert(ab(0, 0) == 7 && ab(0, 1) == 8 && ab(1, 0) == 16 && ab(1, 1) == 17);
constexpr tensor<float, 2> av = matmul(a, v);
static_assert(av(0) == 321 && av(1) == 654);
constexpr tensor<float, 2> vb = matmul(v, b);
static_assert(vb(0) == 201 && vb(1) == 210);
static_assert(eval(matmul(v, v))() == 10101 && eval(dot(v, v))() == 10101);
constexpr tensor<float, 3, 2> vu = outer(v, av);
static_assert(vu(1, 0) == 3210 && vu(2, 1) == 65400);

template <class A, class B>
void check(const A& x, const B& y) {
    const auto expected = reference::matmul(reference::of(x), reference::of(y));
    reference::expect_near(eval(matmul(x, y)), expected, 1e-5);
    reference::expect_near(detail::constant_evaluate(matmul(x, y)), expected, 1e-5);
}

TEST(matmul, values) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 5, 7>();
    const auto y = random.normal<float, 7, 17>();
    check(x, y);
    check(transpose(y), transpose(x));
    check(random.normal<float, 2, 1, 3, 4>(), random.normal<float, 3, 4, 2>());
    check(random.normal<double, 1, 1>(), random.normal<double, 1, 1>());
}

TEST(matmul, vectors) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 1, 19>();
    const auto y = random.normal<float, 19, 5>();
    const auto expected = reference::matmul(reference::of(x), reference::of(y));
    reference::expect_near(eval(unsqueeze<0>(matmul(x[0], y))), expected, 1e-5);
    reference::expect_near(eval(unsqueeze<0>(matmul(transpose(y), x[0]))), expected, 1e-5);
    const float squares = eval(sum(x * x))();
    EXPECT_NEAR(eval(matmul(x[0], x[0]))(), squares, 1e-4);
    EXPECT_NEAR(eval(dot(x[0], x[0]))(), squares, 1e-4);
}

}  // namespace
