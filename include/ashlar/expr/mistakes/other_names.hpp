// SPDX-License-Identifier: BSL-1.0
// Reports names that other libraries use, with the name here.
#pragma once

#include <ashlar/core/any_argument.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

using refused_concat_name =
    refused_call<"ashlar: names: tensors are joined by concat and stack; write concat<0>(x, y)">;
using refused_product_name =
    refused_call<"ashlar: names: all products of matrices are called matmul; write matmul(x, y)">;
using refused_extremum_name = refused_call<"ashlar: names: two operands make max and min elementwise; write max(x, y)">;
using refused_one_hot_name = refused_call<
    "ashlar: names: a comparison makes rows of one 1; write cast<float>(unsqueeze<-1>(x) == iota<int, 10>())">;
using refused_range_name =
    refused_call<"ashlar: names: ranges are sums and products of iota; write first + step * iota<float, 8>()">;

// In the namespace of a base of all tensors and nodes, argument-dependent lookup finds these for them only.
template <auto... Given>
void cat(refused_concat_name, any_argument = {}, any_argument = {}, any_argument = {});
template <auto... Given>
void concatenate(refused_concat_name, any_argument = {}, any_argument = {}, any_argument = {});
template <auto... Given>
void mm(refused_product_name, any_argument);
template <auto... Given>
void bmm(refused_product_name, any_argument);
template <auto... Given>
void maximum(refused_extremum_name, any_argument);
template <auto... Given>
void minimum(refused_extremum_name, any_argument);
template <auto... Given>
void one_hot(refused_one_hot_name, any_argument = {});

}  // namespace detail

// Called with numbers, for which argument-dependent lookup finds nothing.
template <class Element = float, auto... Given>
void arange(detail::refused_range_name, detail::any_argument = {}, detail::any_argument = {});
template <class Element = float, auto... Given>
void linspace(detail::refused_range_name, detail::any_argument = {}, detail::any_argument = {});

}  // namespace ashlar
