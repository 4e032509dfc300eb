// SPDX-License-Identifier: BSL-1.0
// Parts of an axis: slice, row and split.
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
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/tensor/element_index.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The shape with Count entries along an axis, which loses its name if the extent changes.
template <class Shape, std::size_t Axis, std::size_t Count>
consteval auto with_extent() {
    if constexpr (Shape::extents[Axis] == Count)
        return Shape{};
    else
        return with_dimension<Shape, Axis, Count>();
}

template <std::size_t Rank>
consteval std::array<std::ptrdiff_t, Rank> stepped(std::array<std::ptrdiff_t, Rank> strides, std::size_t axis,
                                                   std::ptrdiff_t step) {
    strides[axis] *= step;
    return spelled_out(strides);
}

template <std::size_t Axis, class Expression>
inline constexpr bool is_slice_along = false;
template <std::size_t Axis, std::ptrdiff_t Step, class Shape, class Expression>
inline constexpr bool is_slice_along<Axis, slice_node<Axis, Step, Shape, Expression>> = true;

template <std::size_t Axis, std::size_t Count, std::ptrdiff_t Step, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto slice_from(Expression&& e, std::ptrdiff_t first) noexcept;

template <std::size_t Count, std::ptrdiff_t Outer, std::size_t Axis, std::ptrdiff_t Inner, class Shape,
          class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto slice_again(const slice_node<Axis, Inner, Shape, Expression>& node,
                                                std::ptrdiff_t first) noexcept {
    return slice_from<Axis, Count, Inner * Outer>(owned(node.template operand<0>()), node.first + Inner * first);
}

/// Count entries of an axis: first, first + Step, ...
template <std::size_t Axis, std::size_t Count, std::ptrdiff_t Step, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto slice_from(Expression&& e, std::ptrdiff_t first) noexcept {
    using plain = std::remove_cvref_t<Expression>;
    using result = decltype(with_extent<shape_of<Expression>, Axis, Count>());
    if constexpr (viewable<Expression>)
        return make_view<memory_element<Expression>, result, stepped(plain::strides, Axis, Step)>(
            e.data() + first * plain::strides[Axis]);
    else if constexpr (is_slice_along<Axis, plain>)
        return slice_again<Count, Step>(e, first);
    else
        return slice_node<Axis, Step, result, held<Expression>>{{{}, {{hold(std::forward<Expression>(e))}}}, first};
}

/// The number of entries of a slice that lies outside its axis, if it can be computed; 1 otherwise.
consteval std::size_t slice_entries(std::ptrdiff_t first, std::ptrdiff_t last, std::ptrdiff_t step) {
    const bool told = first >= 0 && last > first && step > 0;
    return told ? static_cast<std::size_t>((last - first + step - 1) / step) : 1;
}

/// The result of a refused split: the requested number of parts, at least one.
template <class Element, class Shape, std::size_t Parts>
ASHLAR_ALWAYS_INLINE constexpr auto refused_parts() noexcept {
    return std::array<decltype(refused<Element, Shape>()), (Parts == 0 ? 1 : Parts)>{};
}

}  // namespace detail

/// Entries First, First + Step, ... before Last of an axis. Negative positions count from the end, as in Python. A
/// negative Step goes down; Last = -1 - extent then includes entry 0. The slice must lie within the axis and not be
/// empty. The axis keeps its name only if the extent stays. A view for tensors and views (a named tensor can be written
/// through it); lazy otherwise.
///
///     auto middle = slice<seq, 16, -16>(x);
///     slice<0, 0, 8, 2>(y) = zeros<float, 4, 32>();
///     auto reversed = slice<0, -1, -9, -1>(v);   // v has 8 entries: 7, 6, ..., 0; Last = -1 would be entry 7
///     auto some = slice<0, 6, 2, -2>(v);         // entries 6 and 4
template <auto Axis, std::ptrdiff_t First, std::ptrdiff_t Last, std::ptrdiff_t Step = 1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto slice(Expression&& e) noexcept {
    constexpr bool found = detail::axis_argument<Axis, shape_of<Expression>>::found;
    static_assert(detail::axis_argument<Axis, shape_of<Expression>>::found,
                  "ashlar: slice: the axis must be a position or a named axis that occurs once in the shape");
    if constexpr (found) {
        constexpr std::size_t axis = detail::axis_position<shape_of<Expression>, Axis>();
        constexpr auto dim = detail::dimension_at<shape_of<Expression>, axis>;
        using bounds = detail::slice_bounds<First, Last, Step, dim>;
        static_assert(detail::slice_bounds<First, Last, Step, dim>::within,
                      "ashlar: slice: first and last must lie within the axis and enclose an entry, and the step must "
                      "not be 0; negative positions count from the end");
        if constexpr (!bounds::within) {
            constexpr std::size_t count = detail::slice_entries(First, Last, Step);
            return detail::refused_shape<decltype(detail::with_extent<shape_of<Expression>, axis, count>())>(
                std::forward<Expression>(e));
        } else if constexpr (bounds::first == 0 && bounds::last == bounds::extent && Step == 1) {
            return detail::itself(std::forward<Expression>(e));
        } else {
            constexpr std::ptrdiff_t distance = bounds::last - bounds::first;
            constexpr auto count = static_cast<std::size_t>((distance + Step + (Step > 0 ? -1 : 1)) / Step);
            return detail::slice_from<axis, count, Step>(std::forward<Expression>(e), bounds::first);
        }
    } else {
        return detail::refused<element_of<Expression>, shape_of<Expression>>();
    }
}

/// Entry i of the first axis, of one rank less. i is a runtime index, at least 0 and less than the extent (asserted). A
/// view for tensors and views (a named tensor can be written through it); lazy otherwise.
///
///     row(cache, t) = k;
template <any_expression Expression, class Index>
    requires(std::is_convertible_v<const Index&, std::ptrdiff_t>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto row(Expression&& e, const Index& i) noexcept {
    using from = shape_of<Expression>;
    static_assert(detail::row_of<from>::exists, "ashlar: row: a scalar has no axis to take an entry from");
    if constexpr (detail::row_of<from>::exists) {
        const std::ptrdiff_t first = detail::checked_index<current_config>(i, from::extents[0]);
        return detail::reshape_to<decltype(detail::without_axis<from, 0, false>())>(
            detail::slice_from<0, 1, 1>(std::forward<Expression>(e), first));
    } else {
        return detail::refused<element_of<Expression>, from>();
    }
}

/// Splits an axis into equal parts: a std::array of Parts slices. The axis loses its name unless Parts is 1. Views for
/// tensors and views (a named tensor can be written through them); lazy otherwise.
///
///     auto [q, k, v] = split<-1, 3>(projected);
template <auto Axis, std::size_t Parts, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto split(Expression&& e) noexcept {
    constexpr bool found = detail::axis_argument<Axis, shape_of<Expression>>::found;
    static_assert(detail::axis_argument<Axis, shape_of<Expression>>::found,
                  "ashlar: split: the axis must be a position or a named axis that occurs once in the shape");
    if constexpr (found) {
        constexpr std::size_t axis = detail::axis_position<shape_of<Expression>, Axis>();
        constexpr auto dim = detail::dimension_at<shape_of<Expression>, axis>;
        static_assert(detail::split_parts<dim, Parts>::equal,
                      "ashlar: split: the number of parts must divide the extent of the axis; use slice for unequal "
                      "ones");
        if constexpr (detail::split_parts<dim, Parts>::equal) {
            constexpr std::size_t count = detail::extent_of(dim) / Parts;
            using part = decltype(detail::slice_from<axis, count, 1>(std::forward<Expression>(e), std::ptrdiff_t{0}));
            return [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
                return std::array<part, Parts>{detail::slice_from<axis, count, 1>(
                    std::forward<Expression>(e), static_cast<std::ptrdiff_t>(Index * count))...};
            }(std::make_index_sequence<Parts>{});
        } else {
            constexpr std::size_t count =
                detail::extent_of(dim) < Parts || Parts == 0 ? 1 : detail::extent_of(dim) / Parts;
            return detail::refused_parts<element_of<Expression>,
                                         decltype(detail::with_extent<shape_of<Expression>, axis, count>()), Parts>();
        }
    } else {
        return detail::refused_parts<element_of<Expression>, shape_of<Expression>, Parts>();
    }
}

}  // namespace ashlar
