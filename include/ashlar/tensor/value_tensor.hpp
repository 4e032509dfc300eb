// SPDX-License-Identifier: BSL-1.0
// The type of the tensor that holds the values of an expression.
#pragma once

#include <ashlar/core/concepts.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::detail {

template <class Element, class Shape>
struct dense_tensor;
template <class Element, auto... Dims>
struct dense_tensor<Element, shape<Dims...>> {
    using type = basic_tensor<Element, Dims...>;
};
/// The tensor that holds an expression's values.
template <class Expression>
using value_tensor = typename dense_tensor<element_of<Expression>, shape_of<Expression>>::type;

}  // namespace ashlar::detail
