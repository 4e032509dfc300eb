// SPDX-License-Identifier: BSL-1.0
// Conditions whose elements can be read without evaluation: masks, bool tensors and their logic.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>

namespace ashlar::inline v0_1::detail {

/// The function of a map node; void for other expressions.
template <class Expression>
struct function_of {
    using type = void;
};
template <class Function, class Shape, class Element, class... Args>
struct function_of<map_node<Function, Shape, Element, Args...>> {
    using type = Function;
};
template <class Expression, class... Function>
inline constexpr bool is_map_of = (std::is_same_v<typename function_of<Expression>::type, Function> || ...);

/// Whether `truth_at` can read the elements of an expression: masks, bool tensors and logic on them.
template <class Expression>
consteval bool truth_is_readable() {
    if constexpr (!std::is_same_v<element_of<Expression>, bool>)
        return false;
    else if constexpr (kind_of<Expression> == node_kind::array || kind_of<Expression> == node_kind::scalar ||
                       kind_of<Expression> == node_kind::mask)
        return true;
    else if constexpr (is_index_map(kind_of<Expression>) || is_map_of<Expression, not_function>)
        return truth_is_readable<operand_type<0, Expression>>();
    else if constexpr (is_map_of<Expression, and_function, or_function>)
        return truth_is_readable<operand_type<0, Expression>>() && truth_is_readable<operand_type<1, Expression>>();
    else
        return false;
}

/// One element of a bool expression whose truth is readable.
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr bool truth_at(const Expression& e, const coordinates<Expression>& at) noexcept {
    if constexpr (kind_of<Expression> == node_kind::array) {
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += static_cast<std::ptrdiff_t>(at[axis]) * Expression::strides[axis];
        return e.data()[offset];
    } else if constexpr (kind_of<Expression> == node_kind::scalar) {
        return e.value;
    } else if constexpr (kind_of<Expression> == node_kind::mask) {
        return mask_keeps<typename Expression::shape_type>(e.mask, at);
    } else {
        const bool first = truth_at(e.template operand<0>(), operand_coordinates<0>(e, at));
        if constexpr (is_map_of<Expression, not_function>)
            return !first;
        else if constexpr (is_map_of<Expression, and_function>)
            return first && truth_at(e.template operand<1>(), operand_coordinates<1>(e, at));
        else if constexpr (is_map_of<Expression, or_function>)
            return first || truth_at(e.template operand<1>(), operand_coordinates<1>(e, at));
        else
            return first;
    }
}

}  // namespace ashlar::detail
