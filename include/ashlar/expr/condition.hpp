// SPDX-License-Identifier: BSL-1.0
// Conditions whose elements can be told one by one, without evaluating anything: masks, bool tensors and their logic.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/coordinates.hpp>
#include <ashlar/expr/functions.hpp>
#include <ashlar/expr/mask.hpp>
#include <ashlar/expr/nodes.hpp>

namespace ashlar::detail {

/// The function of a map.
template <class E>
struct function_of {
    using type = void;
};
template <class F, class Shape, class T, class... Args>
struct function_of<map_node<F, Shape, T, Args...>> {
    using type = F;
};
template <class E, class... F>
inline constexpr bool is_map_of = (std::is_same_v<typename function_of<E>::type, F> || ...);

/// Whether `truth_at` can tell the elements of an expression: masks, bool tensors and what logic makes of them.
template <class E>
consteval bool truth_is_readable() {
    if constexpr (!std::is_same_v<element_of<E>, bool>)
        return false;
    else if constexpr (kind_of<E> == op::array || kind_of<E> == op::scalar || kind_of<E> == op::mask)
        return true;
    else if constexpr (moves_elements(kind_of<E>) || is_map_of<E, not_function>)
        return truth_is_readable<operand_type<0, E>>();
    else if constexpr (is_map_of<E, and_function, or_function>)
        return truth_is_readable<operand_type<0, E>>() && truth_is_readable<operand_type<1, E>>();
    else
        return false;
}

/// One element of a bool expression whose truth is readable.
template <class E>
ASHLAR_ALWAYS_INLINE constexpr bool truth_at(const E& e, const coordinates<E>& at) noexcept {
    if constexpr (kind_of<E> == op::array) {
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
            offset += static_cast<std::ptrdiff_t>(at[axis]) * E::strides[axis];
        return e.data()[offset];
    } else if constexpr (kind_of<E> == op::scalar) {
        return e.value;
    } else if constexpr (kind_of<E> == op::mask) {
        return mask_keeps<typename E::shape_type>(e.mask, at);
    } else {
        const bool first = truth_at(e.template operand<0>(), operand_coordinates<0>(e, at));
        if constexpr (is_map_of<E, not_function>)
            return !first;
        else if constexpr (is_map_of<E, and_function>)
            return first && truth_at(e.template operand<1>(), operand_coordinates<1>(e, at));
        else if constexpr (is_map_of<E, or_function>)
            return first || truth_at(e.template operand<1>(), operand_coordinates<1>(e, at));
        else
            return first;
    }
}

}  // namespace ashlar::detail
