// SPDX-License-Identifier: BSL-1.0
// Matrix products: shapes, names, promotion of vectors and broadcasting of batches.
#include <ashlar/expr/matmul.hpp>
#include <ashlar/tensor/tensor.hpp>

#include <gtest/gtest.h>

#include <type_traits>

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
static_assert(std::is_same_v<product<tensor<float, 1, 3>, tensor<float, 3>>, dims<float, 1>>);
static_assert(std::is_same_v<product<tensor<float, 1>, tensor<float, 1, 1>>, dims<float, 1>>);
static_assert(std::is_same_v<product<tensor<float, 3>, tensor<float, 7, 3, 5>>, dims<float, 7, 5>>);
static_assert(std::is_same_v<product<tensor<float, 7, 2, 3>, tensor<float, 3>>, dims<float, 7, 2>>);
static_assert(std::is_same_v<product<tensor<float, 7, 1, 2, 3>, tensor<float, 4, 3, 5>>, dims<float, 7, 4, 2, 5>>);
// Names: of both free axes and of whichever batch axis has one.
static_assert(std::is_same_v<product<tensor<float, seq, head>, tensor<float, head, key>>, dims<float, seq, key>>);
static_assert(std::is_same_v<product<tensor<float, 3, seq, head>, tensor<float, batch, 4, 5>>, dims<float, batch, seq, 5>>);

static_assert(matmul_compatible<tensor<float, 2, 3>, tensor<float, 3, 2>>);
static_assert(matmul_compatible<tensor<float, seq, head>&, const tensor<float, 4, 2>&>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, tensor<float, 2, 3>>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, tensor<double, 3, 2>>);
static_assert(!matmul_compatible<tensor<float>, tensor<float, 3, 2>>);
static_assert(!matmul_compatible<tensor<float, head, seq>, tensor<float, key, head>>);
static_assert(!matmul_compatible<tensor<float, 2, 2, 3>, tensor<float, 3, 3, 2>>);
static_assert(!matmul_compatible<tensor<float, 2, 3>, float>);

// Named tensors are borrowed, everything else is owned.
using lazy = decltype(matmul(std::declval<tensor<float, 2, 3>&>(), std::declval<tensor<float, 3, 2>>()));
static_assert(lazy::kind == op::matmul);
static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<lazy>().operand<0>())>, tensor_view<const float, 2, 3>>);
static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::declval<lazy>().operand<1>())>, tensor<float, 3, 2>>);

static_assert(std::is_same_v<shape_of<decltype(dot(std::declval<tensor<float, 3>&>(), std::declval<tensor<float, 3>&>()))>, dims<float>>);
static_assert(std::is_same_v<shape_of<decltype(outer(std::declval<tensor<float, seq>&>(), std::declval<tensor<float, 3>&>()))>, dims<float, seq, 3>>);

}  // namespace
