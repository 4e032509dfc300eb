// SPDX-License-Identifier: BSL-1.0
// Keys and values as 8-bit integers with a scale per row: attention applies the scales to scores and weights.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_integer.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::inline v0_1::detail {

/// A weight times a scale. A weight of zero, as masks leave it, stays zero even if its scale was never written.
struct scale_weights_function {
    static constexpr const char* name = "*";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument weight, Argument scale) const {
        return select(weight == Argument(0), weight, weight * scale);
    }
};
template <>
inline constexpr proof_function proof_function_of<scale_weights_function> = proof_function::product;

/// Whether elements lie in memory as 8-bit integers, perhaps reshaped.
template <class Expression>
inline constexpr bool holds_integers = false;
template <array_expression Expression>
inline constexpr bool holds_integers<Expression> =
    std::is_same_v<std::remove_const_t<typename Expression::value_type>, narrow_integer>;
template <class Shape, class Expression>
inline constexpr bool holds_integers<reshape_node<Shape, Expression>> = holds_integers<Expression>;

/// Whether an expression is such rows times their scales, as `kv_cache` returns. As an expression it is the product it
/// looks like; a matrix product with it would read a copy in floats.
template <class Expression>
inline constexpr bool is_scaled_rows = false;
template <class Shape, class Rows, class Scales>
inline constexpr bool is_scaled_rows<map_node<times_function, Shape, float, Rows, Scales>> =
    holds_integers<Rows> && Scales::shape_type::extents[Scales::shape_type::rank - 1] == 1;

/// The integers [..., rows, width] and the scales [..., rows, 1].
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr const auto& integers_of(const Expression& e) noexcept {
    return e.template operand<0>();
}
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr const auto& scales_of(const Expression& e) noexcept {
    return e.template operand<1>();
}

}  // namespace ashlar::detail
