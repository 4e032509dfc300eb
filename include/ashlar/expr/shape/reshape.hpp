// SPDX-License-Identifier: BSL-1.0
// The same elements with other axes: reshape, squeeze, unsqueeze, rename and broadcast_to.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/viewable.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <std::size_t Rank>
struct reshaped_strides {
    bool exist = false;
    std::array<std::ptrdiff_t, Rank> strides{};
};

/// The strides, if any, that keep the row-major order of memory under other extents. In each group of axes with equal
/// products, the old axes must form one run of equal steps.
template <std::size_t From, std::size_t To>
consteval reshaped_strides<To> strides_under(const std::array<std::size_t, From>& from_extents,
                                             const std::array<std::ptrdiff_t, From>& from_strides,
                                             const std::array<std::size_t, To>& extents) {
    std::array<std::size_t, From> old{};
    std::array<std::ptrdiff_t, From> steps{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < From; ++i)
        if (from_extents[i] != 1) {
            old[count] = from_extents[i];
            steps[count++] = from_strides[i];
        }
    reshaped_strides<To> result{};
    std::size_t from = 0, to = 0;
    while (from < count) {
        std::size_t from_end = from + 1, to_end = to + 1, from_size = old[from], to_size = extents[to];
        while (from_size != to_size) {
            if (from_size < to_size)
                from_size *= old[from_end++];
            else
                to_size *= extents[to_end++];
        }
        for (std::size_t i = from; i + 1 < from_end; ++i)
            if (steps[i] != steps[i + 1] * static_cast<std::ptrdiff_t>(old[i + 1])) return {};
        std::ptrdiff_t step = steps[from_end - 1];
        for (std::size_t i = to_end; i-- > to;) {
            result.strides[i] = step;
            step *= static_cast<std::ptrdiff_t>(extents[i]);
        }
        from = from_end;
        to = to_end;
    }
    for (; to < To; ++to) result.strides[to] = 1;
    result.exist = true;
    return result;
}

/// The shape of reshape's arguments, with -1 replaced by the remaining extent.
template <std::size_t Size, auto... Dims>
consteval auto requested_shape() {
    constexpr std::size_t known = (std::size_t{1} * ... * (extent_of(Dims) == no_axis ? 1 : extent_of(Dims)));
    [[maybe_unused]] constexpr auto filled = []<auto Dimension>() {
        if constexpr (extent_of(Dimension) == no_axis)
            return known == 0 ? std::size_t{0} : Size / known;
        else
            return canonical(Dimension);
    };
    return shape<filled.template operator()<Dims>()...> {};
}

template <class Expression>
inline constexpr bool is_reshape_node = false;
template <class Shape, class Expression>
inline constexpr bool is_reshape_node<reshape_node<Shape, Expression>> = true;
template <class Expression>
inline constexpr bool is_broadcast_node = false;
template <class Shape, class Expression>
inline constexpr bool is_broadcast_node<broadcast_node<Shape, Expression>> = true;

/// The elements in row-major order in a shape of the same size.
template <class Shape, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto reshape_to(Expression&& e) noexcept {
    using plain = std::remove_cvref_t<Expression>;
    if constexpr (std::is_same_v<Shape, shape_of<Expression>>) {
        return itself(std::forward<Expression>(e));
    } else if constexpr (is_reshape_node<plain>) {
        return reshape_to<Shape>(owned(e.template operand<0>()));
    } else if constexpr (viewable<Expression>) {
        constexpr auto found = strides_under(plain::extents, plain::strides, Shape::extents);
        if constexpr (found.exist)
            return make_view<memory_element<Expression>, Shape, spelled_out(found.strides)>(e.data());
        else
            return reshape_node<Shape, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}}};
    } else {
        return reshape_node<Shape, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}}};
    }
}

/// The positions of the axes that are not squeezed.
template <std::size_t Left, std::size_t Rank>
consteval std::array<std::size_t, Left> kept_axes(const std::array<bool, Rank>& dropped) {
    std::array<std::size_t, Left> kept{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < Rank; ++i)
        if (!dropped[i]) kept[count++] = i;
    return spelled_out(kept);
}

template <std::size_t Rank>
consteval std::size_t count_false(const std::array<bool, Rank>& flags) {
    std::size_t count = 0;
    for (const bool flag : flags) count += !flag;
    return count;
}

/// The axes to squeeze: those of extent 1, or the given ones.
template <class Shape, auto... Axes>
consteval auto squeezed_axes() {
    std::array<bool, Shape::rank> dropped{};
    if constexpr (sizeof...(Axes) == 0)
        for (std::size_t i = 0; i < Shape::rank; ++i) dropped[i] = Shape::extents[i] == 1;
    else
        ((dropped[axis_position<Shape, Axes>()] = true), ...);
    return dropped;
}

/// Whether a squeeze argument is valid; an error if not.
template <class Shape, auto Axis>
consteval bool squeezes() {
    static_assert(axis_argument<Axis, Shape>::found,
                  "ashlar: squeeze: the argument must be a position or a named axis that occurs once in the shape");
    if constexpr (axis_argument<Axis, Shape>::found) {
        constexpr std::size_t position = axis_position<Shape, Axis>();
        static_assert(squeezed_axis<position, dimension_at<Shape, position>>::is_one,
                      "ashlar: squeeze: only an axis of extent 1 can be dropped; use row, slice or a reduction");
        return Shape::extents[position] == 1;
    } else {
        return false;
    }
}

/// Strides for a larger shape, 0 along the axes on which elements repeat.
template <std::size_t From, std::size_t To>
consteval std::array<std::ptrdiff_t, To> broadcast_strides(const std::array<std::size_t, From>& extents,
                                                           const std::array<std::ptrdiff_t, From>& strides) {
    std::array<std::ptrdiff_t, To> result{};
    for (std::size_t i = 0; i < From; ++i) result[i + To - From] = extents[i] == 1 ? 0 : strides[i];
    return result;
}

/// A shape of Rank axes: Count entries on the first, 1 on the others.
template <std::size_t Count, std::size_t Rank>
consteval auto column_shape() {
    return build_shape<Rank>([]<std::size_t Place>() { return Place == 0 ? Count : std::size_t{1}; });
}

template <class Shape, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto broadcast_as(Expression&& e) noexcept {
    using plain = std::remove_cvref_t<Expression>;
    if constexpr (renamed_extents<shape_of<Expression>, Shape>::same)
        return reshape_to<Shape>(std::forward<Expression>(e));
    else if constexpr (viewable<Expression>)
        return make_view<const memory_element<Expression>, Shape,
                         spelled_out(broadcast_strides<plain::shape_type::rank, Shape::rank>(
                             plain::extents, plain::strides))>(e.data());
    else if constexpr (is_broadcast_node<plain>)
        return broadcast_as<Shape>(owned(e.template operand<0>()));
    else
        return broadcast_node<Shape, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}}};
}

}  // namespace detail

/// The elements in row-major order in other dimensions, integers or axes; one may be -1 and takes the remaining extent.
/// The result has the given names. A view for tensors and for views whose strides allow it (a named tensor can be
/// written through it); lazy otherwise.
///
///     auto heads = reshape<64, 4, 8>(x);   // [64, 32] as [64, 4, 8]
///     auto flat = reshape<-1>(x);
template <auto... Dims, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto reshape(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr bool known = detail::reshape_dimensions<Dims...>::at_most_one_unknown;
    static_assert(detail::reshape_dimensions<Dims...>::at_most_one_unknown,
                  "ashlar: reshape: at most one dimension can be -1; give the others");
    if constexpr (known) {
        using to = decltype(detail::requested_shape<from::size, Dims...>());
        static_assert(detail::reshape_count<from, to>::same,
                      "ashlar: reshape: the number of elements must stay the same; change a dimension or make one -1");
        if constexpr (detail::reshape_count<from, to>::same)
            return detail::reshape_to<to>(std::forward<Expression>(e));
        else
            return detail::refused_shape<to>(std::forward<Expression>(e));
    } else {
        return detail::refused<element_of<Expression>, from>();
    }
}

/// Drops axes of extent 1: all of them, or the given ones. A view or lazy, as `reshape`.
///
///     auto v = squeeze<1>(column);   // [64, 1] as [64]
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto squeeze(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    if constexpr ((detail::squeezes<from, Axes>() && ...)) {
        constexpr auto dropped = detail::squeezed_axes<from, Axes...>();
        constexpr auto kept = detail::kept_axes<detail::count_false(dropped)>(dropped);
        return detail::reshape_to<detail::selected_dimensions<from, kept>>(std::forward<Expression>(e));
    } else {
        return detail::refused<element_of<Expression>, from>();
    }
}

/// Inserts an axis of extent 1 at position Axis of the result (negative counts from its end). A view or lazy, as
/// `reshape`.
///
///     auto column = unsqueeze<-1>(v);   // [64] as [64, 1]
template <std::ptrdiff_t Axis, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto unsqueeze(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    using position = detail::new_axis_position<Axis, from::rank + 1>;
    static_assert(detail::new_axis_position<Axis, from::rank + 1>::valid,
                  "ashlar: unsqueeze: the position must be one of the result's, whose rank is one more");
    if constexpr (position::valid) {
        constexpr auto at =
            static_cast<std::size_t>(Axis < 0 ? Axis + static_cast<std::ptrdiff_t>(from::rank) + 1 : Axis);
        return detail::reshape_to<decltype(detail::inserted_dimension<from, at, std::size_t{1}>())>(
            std::forward<Expression>(e));
    } else {
        return detail::refused<element_of<Expression>,
                               decltype(detail::inserted_dimension<from, from::rank, std::size_t{1}>())>();
    }
}

/// Renames the axes, with the same extents: an axis names its dimension, an integer drops the name. A view for tensors
/// and views (a named tensor can be written through it); lazy otherwise.
///
///     auto keys = rename<key, head>(x);
template <auto... Dims, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rename(Expression&& e) noexcept {
    using to = shape<detail::canonical(Dims)...>;
    static_assert(detail::renamed_extents<shape_of<Expression>, to>::same,
                  "ashlar: rename: there must be one dimension for each axis, of the same extent; reshape changes "
                  "extents");
    if constexpr (detail::renamed_extents<shape_of<Expression>, to>::same)
        return detail::reshape_to<to>(std::forward<Expression>(e));
    else
        return detail::refused_shape<to>(std::forward<Expression>(e));
}

/// Repeats e to a larger shape by the rules of broadcasting. A dimension without a given name keeps that of e. For
/// tensors and views a read-only view, where elements repeat by a stride of 0; lazy otherwise.
///
///     auto rows = broadcast_to<64, 32>(bias);   // [32] as [64, 32]
template <auto... Dims, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto broadcast_to(Expression&& e) noexcept {
    using to = shape<detail::canonical(Dims)...>;
    static_assert(detail::broadcast_target<shape_of<Expression>, to>::fits,
                  "ashlar: broadcast_to: from the last axis on, each extent must be 1 or that of the result, and names "
                  "equal; reshape or rename first");
    if constexpr (detail::broadcast_target<shape_of<Expression>, to>::fits)
        return detail::broadcast_as<detail::broadcast_shape<shape_of<Expression>, to>>(std::forward<Expression>(e));
    else
        return detail::refused<element_of<Expression>, to>();
}

}  // namespace ashlar
