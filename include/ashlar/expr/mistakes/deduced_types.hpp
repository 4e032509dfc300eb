// SPDX-License-Identifier: BSL-1.0
// Reports tensors and views without template arguments, which other libraries' arrays do not need: tensor t(4, 8).
#pragma once

#include <type_traits>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The element type that is deduced without template arguments.
struct no_element_type {};
template <class... Given>
struct types_of_arguments {
    static constexpr bool tell_dimensions = false;
};

}  // namespace detail

template <>
struct basic_tensor<detail::no_element_type> {
    template <class... Given>
    constexpr basic_tensor(const Given&...) noexcept {
        static_assert(detail::types_of_arguments<Given...>::tell_dimensions,
                      "ashlar: tensor: the element type and the dimensions are template arguments; write "
                      "tensor<float, 4, 8> t, or auto t = eval(e)");
    }
};
template <>
struct basic_view<detail::no_element_type> {
    template <class... Given>
    constexpr basic_view(const Given&...) noexcept {
        static_assert(detail::types_of_arguments<Given...>::tell_dimensions,
                      "ashlar: view: the element type and the dimensions are template arguments; write "
                      "tensor_view<float, 4, 8> t{memory}");
    }
};

// g++ 12 ignores guides of aliases that are templates, clang 19 those that are not.
basic_tensor(detail::any_argument, detail::any_argument = {}, detail::any_argument = {})
    -> basic_tensor<detail::no_element_type>;
template <class... Given>
basic_tensor(const Given&...) -> basic_tensor<detail::no_element_type>;
basic_view(detail::any_argument, detail::any_argument = {}, detail::any_argument = {})
    -> basic_view<detail::no_element_type>;
template <class... Given>
basic_view(const Given&...) -> basic_view<detail::no_element_type>;

}  // namespace ashlar
