// SPDX-License-Identifier: BSL-1.0
// How modules hold what they have learnt.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::nn {

/// Stands where a module has no array, such as the bias of one without biases.
/// Example: `layer_norm`.
struct no_array {};

namespace detail {

/// Columns of a panel of the packed matrices of modules, unless they are told otherwise.
template <class Element>
inline constexpr std::size_t panel = default_panel<Element>;

/// A matrix [Rows, Columns] on the right of products.
template <class Element, std::size_t Panel, std::size_t Rows, std::size_t Columns>
using weight_matrix = basic_packed<Element, Panel, Rows, Columns>;

/// Whether the last axis of an input is as wide as a module wants it.
template <class Input, std::size_t Width>
struct module_input {
    static consteval bool check() {
        if constexpr (Input::rank == 0)
            return false;
        else
            return Input::extents[Input::rank - 1] == Width;
    }
    static constexpr bool fits = check();
};

/// What a module returns for an input that does not fit: rows as wide as its results.
template <class Input, std::size_t Width, class Element>
ASHLAR_ALWAYS_INLINE constexpr auto refused_rows() noexcept {
    if constexpr (Input::rank == 0)
        return ashlar::detail::refused<Element, shape<Width>>();
    else
        return ashlar::detail::refused<Element,
                                       decltype(ashlar::detail::with_dimension<Input, Input::rank - 1, Width>())>();
}

/// Whether a module that an expression borrows outlives the statement.
template <class Module>
struct temporary_module {
    static constexpr bool is_named = false;
};

/// A module that is called as a temporary: an error.
template <class Module>
ASHLAR_ALWAYS_INLINE constexpr const Module& named(const Module& m) noexcept {
    static_assert(temporary_module<Module>::is_named,
                  "ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first");
    return m;
}

/// A vector that is there if Given.
template <bool Given, class Element, std::size_t Size>
using optional_vector = std::conditional_t<Given, basic_tensor<Element, Size>, no_array>;

}  // namespace detail
}  // namespace ashlar::nn
