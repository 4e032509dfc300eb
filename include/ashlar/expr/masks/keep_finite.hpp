// SPDX-License-Identifier: BSL-1.0
// The mask of a bias: keeps every number except minus infinity.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/minus_infinity.hpp>
#include <ashlar/expr/masks/keep.hpp>
#include <ashlar/expr/nodes/element_value.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether keep_finite can read an expression: floating-point numbers that can be computed one by one.
template <class Expression>
struct finite_tensor {
    static constexpr bool has_numbers = std::is_floating_point_v<element_of<Expression>>;
    static constexpr bool is_readable = value_is_readable<Expression>();
};

/// A number keeps its pair unless it is minus infinity.
struct kept_by_number {
    template <class Element>
    ASHLAR_ALWAYS_INLINE static constexpr bool of(Element number) noexcept {
        return !is_minus_infinity(number);
    }
    template <class Expression>
    ASHLAR_ALWAYS_INLINE static constexpr bool at(const Expression& e, const coordinates<Expression>& place) noexcept {
        return of(value_at(e, place));
    }
};

}  // namespace detail

/// Keeps the pairs where e is not minus infinity (NaN keeps its pair). With `bias(e)` it equals PyTorch's additive
/// masks. A bias alone excludes nothing: a weight of 0 is multiplied by the value, and 0 * NaN is NaN. e is floating
/// point and broadcasts to the scores, aligned at the last axis; a named tensor is borrowed, a temporary is owned. For
/// a tensor or a view, tiles of only minus infinity are skipped, and tiles without any are not masked. Elementwise
/// functions of tensors (`where`, sums, slices, `masked`) are allowed too; they are computed pair by pair, which is
/// slower. Evaluate other expressions first.
///
///     auto y = attention(q, k, v, bias(m), keep_finite(m));   // F.scaled_dot_product_attention(q, k, v, attn_mask=m)
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keep_finite(Expression&& e) noexcept {
    using numbers = std::remove_cvref_t<Expression>;
    static_assert(
        detail::finite_tensor<numbers>::has_numbers,
        "ashlar: mask: keep_finite takes floating-point numbers, minus infinity where a pair is left out; bools "
        "become a mask by keep(t) or ignore(t)");
    if constexpr (detail::finite_tensor<numbers>::has_numbers) {
        static_assert(
            detail::finite_tensor<numbers>::is_readable,
            "ashlar: mask: keep_finite reads tensors and elementwise functions of them; evaluate any other expression first: keep_finite(eval(e))");
        if constexpr (detail::finite_tensor<numbers>::is_readable)
            return detail::keep_mask<detail::held<Expression>, detail::kept_by_number>{
                detail::hold(std::forward<Expression>(e))};
        else
            return detail::keep_all_mask{};
    } else {
        return detail::keep_all_mask{};
    }
}

}  // namespace ashlar
