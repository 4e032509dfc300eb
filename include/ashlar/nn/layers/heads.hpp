// SPDX-License-Identifier: BSL-1.0
// Splits rows into heads, and merges heads into rows.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// [..., T, Heads * D] as [..., T, Heads, D].
template <class Shape, std::size_t Heads>
consteval auto shape_with_heads() {
    return ashlar::detail::build_shape<Shape::rank + 1>([]<std::size_t Place>() {
        if constexpr (Place + 1 < Shape::rank)
            return ashlar::detail::dimension_at<Shape, Place>;
        else if constexpr (Place + 1 == Shape::rank)
            return Heads;
        else
            return Shape::extents[Shape::rank - 1] / Heads;
    });
}

/// [..., T, Heads, D] as [..., T, Heads * D].
template <class Shape>
consteval auto shape_without_heads() {
    return ashlar::detail::build_shape<Shape::rank - 1>([]<std::size_t Place>() {
        if constexpr (Place + 2 < Shape::rank)
            return ashlar::detail::dimension_at<Shape, Place>;
        else
            return Shape::extents[Shape::rank - 2] * Shape::extents[Shape::rank - 1];
    });
}

/// The permutation that exchanges the axes before the last one.
template <std::size_t Rank>
consteval std::array<std::size_t, Rank> rows_and_heads_exchanged() {
    std::array<std::size_t, Rank> order{};
    for (std::size_t i = 0; i < Rank; ++i) order[i] = i + 3 == Rank ? i + 1 : i + 2 == Rank ? i - 1 : i;
    return ashlar::detail::spelled_out(order);
}

}  // namespace detail

/// Rows of `Heads` heads side by side, [..., T, Heads * D], as [..., Heads, T, D]: a view or lazy, without a copy.
///
///     auto q = nn::split_heads<4>(matmul(x, w));   // [32, 64] as [4, 32, 16]
template <std::size_t Heads, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto split_heads(Expression&& e) noexcept {
    using split = decltype(detail::shape_with_heads<shape_of<Expression>, Heads>());
    return ashlar::detail::permute_by<detail::rows_and_heads_exchanged<split::rank>()>(
        ashlar::detail::reshape_to<split>(std::forward<Expression>(e)));
}

/// The inverse of split_heads: [..., Heads, T, D] as [..., T, Heads * D].
///
///     auto rows = nn::merge_heads(attention(q, k, v));
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto merge_heads(Expression&& e) noexcept {
    constexpr std::size_t rank = shape_of<Expression>::rank;
    auto rows = ashlar::detail::permute_by<detail::rows_and_heads_exchanged<rank>()>(std::forward<Expression>(e));
    return ashlar::detail::reshape_to<decltype(detail::shape_without_heads<shape_of<decltype(rows)>>())>(
        std::move(rows));
}

}  // namespace ashlar::nn
