// SPDX-License-Identifier: BSL-1.0
// The storage of module weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/core/smoothed.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/expr/nodes/quantized_int4.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// Takes the place of an absent array, such as the bias of a module without biases.
/// Example: `layer_norm`.
struct no_array {};

/// A weight type for modules: the second product of each feed-forward block, `linear2` or `down_proj`, has weights of
/// Second, all others have First. The input of this product is the result of an activation, in which one neuron may be
/// a hundred times larger than others; with bf16 weights it is not rounded to 8 bits. Then a third of a layer's weights
/// takes twice the bytes, and an encoder takes 1.4 to 1.7 times as long. Put bf16 first for outliers in columns of the
/// rows between layers.
///
///     using weights = nn::mixed<smoothed<std::int8_t>, bf16>;
///     static nn::encoder<{.layer = {.embed = 384, .heads = 12}, .layers = 6}, float, weights> small;
template <class First, class Second>
struct mixed {};

namespace detail {

/// The weights of the second product of a feed-forward block, and those of all other layers.
template <class Weight>
struct weights_by_use {
    using first = Weight;
    using second = Weight;
};
template <class First, class Second>
struct weights_by_use<mixed<First, Second>> {
    using first = First;
    using second = Second;
};

/// The default panel width of the modules' packed matrices.
template <class Element>
inline constexpr std::size_t panel = default_panel<Element>;

/// Matrices in 8 and 4 bits have a fixed panel width.
template <>
inline constexpr std::size_t panel<std::int8_t> = 16;
template <>
inline constexpr std::size_t panel<smoothed<std::int8_t>> = 16;
template <>
inline constexpr std::size_t panel<int4> = ashlar::detail::int4_layout::panel;
template <class First, class Second>
inline constexpr std::size_t panel<mixed<First, Second>> = panel<First>;
template <class Weight, std::size_t Panel>
inline constexpr std::size_t second_panel = Panel;
template <class First, class Second, std::size_t Panel>
inline constexpr std::size_t second_panel<mixed<First, Second>, Panel> = panel<Second>;

/// A matrix [Rows, Columns] on the right of products: packed, or in 8 bits if Element is std::int8_t, with or without
/// spread outliers, or in 4 bits if it is int4.
template <class Element, std::size_t Panel, std::size_t Rows, std::size_t Columns>
struct weight_matrix_of {
    using type = basic_packed<Element, Panel, Rows, Columns>;
};
template <std::size_t Panel, std::size_t Rows, std::size_t Columns>
struct weight_matrix_of<std::int8_t, Panel, Rows, Columns> {
    using type = basic_quantized<float, Rows, Columns>;
};
template <std::size_t Panel, std::size_t Rows, std::size_t Columns>
struct weight_matrix_of<smoothed<std::int8_t>, Panel, Rows, Columns> {
    using type = basic_quantized<smoothed<float>, Rows, Columns>;
};
template <std::size_t Panel, std::size_t Rows, std::size_t Columns>
struct weight_matrix_of<int4, Panel, Rows, Columns> {
    using type = basic_quantized<int4, Rows, Columns>;
};
template <class Element, std::size_t Panel, std::size_t Rows, std::size_t Columns>
using weight_matrix = typename weight_matrix_of<typename weights_by_use<Element>::first, Panel, Rows, Columns>::type;

/// The elements of tables and of matrices that are not the right operand of one product. These have no scales for 8
/// or 4 bits, so they stay floats.
template <class Weight, class Of = typename weights_by_use<Weight>::first>
using table_element =
    std::conditional_t<std::is_same_v<typename ashlar::detail::smoothed_traits<Of>::value, std::int8_t> ||
                           std::is_same_v<Of, int4>,
                       float, Of>;

/// Whether the last axis of an input has the width that a module needs.
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

/// Whether an input has an axis of rows, which attention needs.
template <class Input>
struct input_rows {
    static constexpr bool exist = Input::rank >= 2;
};

/// The result type for an input that does not fit: rows as wide as the module's results.
template <class Input, std::size_t Width, class Element>
ASHLAR_ALWAYS_INLINE constexpr auto refused_rows() noexcept {
    if constexpr (Input::rank == 0)
        return ashlar::detail::refused<Element, shape<Width>>();
    else
        return ashlar::detail::refused<Element,
                                       decltype(ashlar::detail::with_dimension<Input, Input::rank - 1, Width>())>();
}

/// Whether a module outlives the statement in which an expression borrows it.
template <class Module>
struct temporary_module {
    static constexpr bool is_named = false;
};

/// Reports the call of a temporary module as an error.
template <class Module>
ASHLAR_ALWAYS_INLINE constexpr const Module& named(const Module& m) noexcept {
    static_assert(temporary_module<Module>::is_named,
                  "ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first");
    return m;
}

/// A vector if Given, else `no_array`.
template <bool Given, class Element, std::size_t Size>
using optional_vector = std::conditional_t<Given, basic_tensor<Element, Size>, no_array>;

/// The element of a plain or packed matrix; not for 8-bit matrices.
template <class Matrix>
    requires(!ashlar::detail::is_quantized<std::remove_cv_t<Matrix>>)
constexpr auto& matrix_element(Matrix& m, std::size_t row, std::size_t column) noexcept {
    constexpr auto extents = shape_of<Matrix>::extents;
    if constexpr (requires { std::remove_cv_t<Matrix>::panel; })
        return m.elements[ashlar::detail::panel_offset(std::remove_cv_t<Matrix>::panel, extents[0], extents[1], row,
                                                       column)];
    else
        return m.elements[row * extents[1] + column];
}

}  // namespace detail
}  // namespace ashlar::nn
