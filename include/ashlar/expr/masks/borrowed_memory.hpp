// SPDX-License-Identifier: BSL-1.0
// Memory that masks read but do not own, such as the bools of `keep`: a destination may overlap it.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether a mask, or an expression that one reads, borrows an array. Masks that read memory return it by `memory()`.
template <class Mask>
consteval bool mask_borrows() {
    if constexpr (array_expression<Mask>) {
        return !is_owning_tensor<Mask>;
    } else if constexpr (node_expression<Mask>) {
        if constexpr (requires(const Mask& m) { m.mask; })
            if (mask_borrows<decltype(Mask::mask)>()) return true;
        if constexpr (operand_count_of<Mask>() == 0)
            return false;
        else
            return []<std::size_t... Index>(std::index_sequence<Index...>) {
                return (false || ... || mask_borrows<operand_type<Index, Mask>>());
            }(std::make_index_sequence<operand_count_of<Mask>()>{});
    } else if constexpr (Mask::is_static) {
        return false;
    } else if constexpr (requires(const Mask& m) { m.memory(); }) {
        return mask_borrows<std::remove_cvref_t<decltype(std::declval<const Mask&>().memory())>>();
    } else if constexpr (requires(const Mask& m) { m.left, m.right; }) {
        return mask_borrows<decltype(Mask::left)>() || mask_borrows<decltype(Mask::right)>();
    } else if constexpr (requires(const Mask& m) { m.operand; }) {
        return mask_borrows<decltype(Mask::operand)>();
    } else {
        return false;
    }
}

/// Calls f for each borrowed array.
template <class Mask, class Function>
ASHLAR_ALWAYS_INLINE constexpr void for_each_borrowed(const Mask& m, const Function& f) {
    if constexpr (!mask_borrows<Mask>()) {
        return;
    } else if constexpr (array_expression<Mask>) {
        f(m);
    } else if constexpr (node_expression<Mask>) {
        if constexpr (requires { m.mask; }) for_each_borrowed(m.mask, f);
        [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
            (for_each_borrowed(m.template operand<Index>(), f), ...);
        }(std::make_index_sequence<operand_count_of<Mask>()>{});
    } else if constexpr (requires { m.memory(); }) {
        for_each_borrowed(m.memory(), f);
    } else if constexpr (requires { m.left, m.right; }) {
        for_each_borrowed(m.left, f);
        for_each_borrowed(m.right, f);
    } else {
        for_each_borrowed(m.operand, f);
    }
}

}  // namespace ashlar::detail
