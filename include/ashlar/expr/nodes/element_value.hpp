// SPDX-License-Identifier: BSL-1.0
// One element of an expression, computed without evaluating the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether `value_at` can compute the elements of an expression: memory, numbers, coordinates, masks, nodes that only
/// move elements, and elementwise functions of those.
template <class Expression>
consteval bool value_is_readable() {
    constexpr node_kind kind = kind_of<Expression>;
    if constexpr (kind == node_kind::array || kind == node_kind::scalar || kind == node_kind::index ||
                  kind == node_kind::mask)
        return true;
    else if constexpr (is_index_map(kind) || kind == node_kind::map || kind == node_kind::masked)
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            return (value_is_readable<operand_type<Index, Expression>>() && ...);
        }(std::make_index_sequence<Expression::operand_count>{});
    else
        return false;
}

template <std::size_t Axis, class Shape>
ASHLAR_ALWAYS_INLINE constexpr std::int32_t coordinate_at(const index_node<Axis, Shape>&,
                                                          const std::array<std::size_t, Shape::rank>& at) noexcept {
    return static_cast<std::int32_t>(at[Axis]);
}

/// One element of an expression whose elements are readable.
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr element_of<Expression> value_at(const Expression& e,
                                                               const coordinates<Expression>& at) noexcept {
    if constexpr (kind_of<Expression> == node_kind::array) {
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += static_cast<std::ptrdiff_t>(at[axis]) * Expression::strides[axis];
        return e.data()[offset];
    } else if constexpr (kind_of<Expression> == node_kind::scalar) {
        return e.value;
    } else if constexpr (kind_of<Expression> == node_kind::index) {
        return coordinate_at(e, at);
    } else if constexpr (kind_of<Expression> == node_kind::mask) {
        return mask_keeps<typename Expression::shape_type>(e.mask, at);
    } else if constexpr (kind_of<Expression> == node_kind::masked) {
        return mask_keeps<typename Expression::shape_type>(e.mask, at)
                   ? value_at(e.template operand<0>(), at)
                   : -std::numeric_limits<element_of<Expression>>::infinity();
    } else if constexpr (kind_of<Expression> == node_kind::map) {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
            using number = typename decltype(number_of<element_of<operand_type<Index, Expression>>...>())::type;
            const auto result =
                e.function(typename single_lane<element_of<operand_type<Index, Expression>>, number>::type(
                    value_at(e.template operand<Index>(), operand_coordinates<Index>(e, at)))...);
            if constexpr (std::is_arithmetic_v<std::remove_cv_t<decltype(result)>>)
                return static_cast<element_of<Expression>>(result);
            else
                return static_cast<element_of<Expression>>(result[0]);
        }(std::make_index_sequence<Expression::operand_count>{});
    } else {
        return value_at(e.template operand<0>(), operand_coordinates<0>(e, at));
    }
}

}  // namespace ashlar::detail
