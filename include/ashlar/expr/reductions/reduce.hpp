// SPDX-License-Identifier: BSL-1.0
// Reductions over one axis, several or all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1 {

/// What a reduction computes from the elements of an axis.
enum class reduction_kind : std::uint8_t { sum, mean, max, min, variance, argmax, all, any, logsumexp, prod, argmin };

/// The type of `keep_dims`. Example: `keep_dims`.
struct keep_dims_t {};
/// As the last argument of a reduction: the reduced axes stay, with extent 1.
///
///     auto centred = x - mean<-1>(x, keep_dims);
inline constexpr keep_dims_t keep_dims{};

namespace detail {

/// The names of reductions in the text of a plan, in the order of their kinds.
inline constexpr const char* reduction_names[] = {"sum", "mean", "max",       "min",  "variance", "argmax",
                                                  "all", "any",  "logsumexp", "prod", "argmin"};

// The kernel layer defines these: a state of lanes, a step and a merge of states.
template <class Vec>
struct sum_fold;
template <class Vec>
struct product_fold;
template <class Vec, bool Greatest>
struct extreme_fold;

/// The fold of a reduction, if it accumulates with a plain one.
template <reduction_kind Kind>
struct fold_of {};
template <>
struct fold_of<reduction_kind::sum> {
    template <class Vec>
    using type = sum_fold<Vec>;
};
template <>
struct fold_of<reduction_kind::mean> : fold_of<reduction_kind::sum> {};
template <>
struct fold_of<reduction_kind::prod> {
    template <class Vec>
    using type = product_fold<Vec>;
};
template <>
struct fold_of<reduction_kind::max> {
    template <class Vec>
    using type = extreme_fold<Vec, true>;
};
template <>
struct fold_of<reduction_kind::min> {
    template <class Vec>
    using type = extreme_fold<Vec, false>;
};
/// Whether a reduction has a `fold_of`.
constexpr bool is_plain_fold(reduction_kind kind) {
    switch (kind) {  // without default, so that compilers warn of a kind that is missing
    case reduction_kind::sum:
    case reduction_kind::mean:
    case reduction_kind::prod:
    case reduction_kind::max:
    case reduction_kind::min: return true;
    case reduction_kind::variance:
    case reduction_kind::argmax:
    case reduction_kind::argmin:
    case reduction_kind::all:
    case reduction_kind::any:
    case reduction_kind::logsumexp: return false;
    }
    return false;
}

constexpr bool gives_position(reduction_kind kind) {
    return kind == reduction_kind::argmax || kind == reduction_kind::argmin;
}

/// Whether a reduction is defined for elements of type Element.
template <reduction_kind Kind, class Element>
struct reduced_elements {
    static consteval bool check() {
        switch (Kind) {
        case reduction_kind::all:
        case reduction_kind::any: return std::is_same_v<Element, bool>;
        case reduction_kind::mean:
        case reduction_kind::variance:
        case reduction_kind::logsumexp: return std::is_floating_point_v<Element>;
        default: return !std::is_same_v<Element, bool>;
        }
    }
    static constexpr bool allowed = check();
};

/// The check of the first axis argument that is not an axis of the shape.
template <class Shape, auto... Axes>
struct missing_axis {
    static constexpr bool found = true;
    using check = missing_axis;
};
template <class Shape, auto First, auto... Rest>
struct missing_axis<Shape, First, Rest...> {
    using check = axis_argument<First, Shape>;
};
template <class Shape, auto First, auto... Rest>
    requires(axis_argument<First, Shape>::found)
struct missing_axis<Shape, First, Rest...> : missing_axis<Shape, Rest...> {};

template <class Shape, auto... Axes>
consteval std::array<std::size_t, sizeof...(Axes)> sorted_positions() {
    std::array<std::size_t, sizeof...(Axes)> sorted{axis_position<Shape, Axes>()...};
    for (std::size_t i = 1; i < sorted.size(); ++i)
        for (std::size_t j = i; j > 0 && sorted[j] < sorted[j - 1]; --j) std::swap(sorted[j], sorted[j - 1]);
    return spelled_out(sorted);
}

template <std::size_t Length>
consteval std::array<std::size_t, Length - 1> without_last(const std::array<std::size_t, Length>& positions) {
    std::array<std::size_t, Length - 1> rest{};
    for (std::size_t i = 0; i + 1 < Length; ++i) rest[i] = positions[i];
    return spelled_out(rest);
}

/// The axes that are not reduced, then the reduced ones.
template <std::size_t Rank, std::size_t Length>
consteval std::array<std::size_t, Rank> reduced_last(const std::array<std::size_t, Length>& reduced) {
    std::array<std::size_t, Rank> order{};
    std::size_t next = 0;
    for (std::size_t i = 0, r = 0; i < Rank; ++i) {
        if (r < Length && reduced[r] == i)
            ++r;
        else
            order[next++] = i;
    }
    for (const std::size_t axis : reduced) order[next++] = axis;
    return spelled_out(order);
}

template <std::size_t Rank>
consteval std::size_t merged_extent(const std::array<std::size_t, Rank>& extents, std::size_t first,
                                    std::size_t count) {
    std::size_t size = 1;
    for (std::size_t i = first; i < first + count; ++i) size *= extents[i];
    return size;
}

/// The shape with Count neighbouring axes from First merged into one.
template <class Shape, std::size_t First, std::size_t Count>
consteval auto merged_axes() {
    return build_shape<Shape::rank + 1 - Count>([]<std::size_t Place>() {
        if constexpr (Place < First)
            return dimension_at<Shape, Place>;
        else if constexpr (Place == First)
            return merged_extent(Shape::extents, First, Count);
        else
            return dimension_at<Shape, Place + Count - 1>;
    });
}

template <std::size_t Length>
consteval bool contains(const std::array<std::size_t, Length>& positions, std::size_t position) {
    for (const std::size_t p : positions)
        if (p == position) return true;
    return false;
}

/// The shape with extent 1 at some positions.
template <class Shape, auto Positions>
consteval auto ones_at() {
    return build_shape<Shape::rank>([]<std::size_t Place>() {
        if constexpr (contains(Positions, Place))
            return std::size_t{1};
        else
            return dimension_at<Shape, Place>;
    });
}

template <reduction_kind Kind, class Element>
using reduced_element = std::conditional_t<gives_position(Kind), std::int32_t, Element>;

template <reduction_kind Kind, std::size_t Axis, bool Keep, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto reduce_one(Expression&& e) noexcept {
    return reduce_node<Kind, Axis, Keep, decltype(without_axis<shape_of<Expression>, Axis, Keep>()),
                       reduced_element<Kind, element_of<Expression>>, held<Expression>>{
        {{}, {{hold(std::forward<Expression>(e))}}}};
}

/// Reduces several axes, in ascending order. Neighbours are reduced as one axis. Others are reduced one after another
/// if that gives the same result; otherwise they are first moved together.
template <reduction_kind Kind, auto Positions, bool Keep, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto reduce_several(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    constexpr std::size_t count = Positions.size();
    if constexpr (count == 1) {
        return reduce_one<Kind, Positions[0], Keep>(std::forward<Expression>(e));
    } else if constexpr (Keep) {
        return reshape_to<decltype(ones_at<from, Positions>())>(
            reduce_several<Kind, Positions, false>(std::forward<Expression>(e)));
    } else if constexpr (Positions[count - 1] - Positions[0] == count - 1) {
        return reduce_one<Kind, Positions[0], false>(
            reshape_to<decltype(merged_axes<from, Positions[0], count>())>(std::forward<Expression>(e)));
    } else if constexpr (Kind == reduction_kind::variance || gives_position(Kind)) {
        constexpr auto order = reduced_last<from::rank>(Positions);
        using merged = decltype(merged_axes<selected_dimensions<from, order>, from::rank - count, count>());
        return reduce_one<Kind, from::rank - count, false>(
            reshape_to<merged>(permute_by<order>(std::forward<Expression>(e))));
    } else {
        return reduce_several<Kind, without_last(Positions), false>(
            reduce_one<Kind, Positions[count - 1], false>(std::forward<Expression>(e)));
    }
}

/// Reduces all axes, as one.
template <reduction_kind Kind, bool Keep, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto reduce_all(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    if constexpr (Keep)
        return reshape_to<decltype(build_shape<from::rank>([]<std::size_t>() { return std::size_t{1}; }))>(
            reduce_all<Kind, false>(std::forward<Expression>(e)));
    else if constexpr (from::rank == 1)
        return reduce_one<Kind, 0, false>(std::forward<Expression>(e));
    else
        return reduce_one<Kind, 0, false>(reshape_to<shape<from::size>>(std::forward<Expression>(e)));
}

template <reduction_kind Kind, bool Keep, auto... Axes, class Expression>
constexpr auto reduce_shape(Expression&& e) noexcept {
    if constexpr (sizeof...(Axes) == 0)
        return shape_of<decltype(reduce_all<Kind, Keep>(std::forward<Expression>(e)))>{};
    else
        return shape_of<decltype(reduce_several<Kind, sorted_positions<shape_of<Expression>, Axes...>(), Keep>(
            std::forward<Expression>(e)))>{};
}

template <reduction_kind Kind, class Shape, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto refused_reduction() noexcept {
    using Element = element_of<Expression>;
    constexpr bool truth = Kind == reduction_kind::all || Kind == reduction_kind::any;
    using number = std::conditional_t<reduced_elements<Kind, Element>::allowed, Element,
                                      std::conditional_t<Kind == reduction_kind::sum, int, float>>;
    return refused<std::conditional_t<truth, bool, reduced_element<Kind, number>>, Shape>();
}

template <reduction_kind Kind, bool Keep, auto... Axes, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto reduce(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    using missing = typename missing_axis<from, Axes...>::check;
    constexpr bool allowed = reduced_elements<Kind, element_of<Expression>>::allowed;
    constexpr bool distinct = distinct_axes<from, Axes...>::given;
    static_assert(missing::found,
                  "ashlar: reduction: each axis must be a position or a named axis that occurs once in the shape");
    static_assert(distinct_axes<from, Axes...>::given, "ashlar: reduction: an axis is named twice; leave one out");
    static_assert(reduced_elements<Kind, element_of<Expression>>::allowed,
                  "ashlar: reduction: all and any take bool, mean, variance and logsumexp floating-point numbers, the "
                  "others numbers; use cast<T>(x)");
    if constexpr (!missing::found || !distinct)
        return refused_reduction<Kind, from, Expression>();
    else if constexpr (!allowed)
        return refused_reduction<Kind, decltype(reduce_shape<Kind, Keep, Axes...>(std::forward<Expression>(e))),
                                 Expression>();
    else if constexpr (sizeof...(Axes) == 0)
        return reduce_all<Kind, Keep>(std::forward<Expression>(e));
    else
        return reduce_several<Kind, sorted_positions<from, Axes...>(), Keep>(std::forward<Expression>(e));
}

}  // namespace detail

/// The sum along axes; without arguments over all elements, to rank 0. Axes are positions (negative from the end) or
/// names, each at most once. Integers sum in their own type. All reductions here take axes like this and are lazy, and
/// `keep_dims` keeps the axes as 1. The order of summation is fixed by shape and architecture: the same bits on every
/// call.
///
///     auto rows = sum<-1>(x);             // [4, 8] to [4]
///     auto total = sum(x);                // to a scalar
///     auto shares = x / sum<-1>(x, keep_dims);
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sum(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::sum, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sum(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::sum, true, Axes...>(std::forward<Expression>(e));
}

/// The arithmetic mean along axes, or of all elements. Floating point.
///
///     static_assert(all(mean<0>(tensor<float, 2, 2>{{1, 2}, {3, 4}}) == tensor<float, 2>{2, 3}));
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto mean(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::mean, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto mean(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::mean, true, Axes...>(std::forward<Expression>(e));
}

/// The largest element along axes, or of all; with two arguments `max` is elementwise.
///
///     auto highest = max<-1>(x);          // [4, 8] to [4]
///     auto range = max(x) - min(x);       // of all elements: a scalar
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(max)(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::max, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(max)(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::max, true, Axes...>(std::forward<Expression>(e));
}

/// The smallest element along axes, or of all; with two arguments `min` is elementwise.
///
///     auto lowest = min<0>(x, keep_dims);   // [4, 8] to [1, 8]
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(min)(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::min, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(min)(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::min, true, Axes...>(std::forward<Expression>(e));
}

/// The biased variance along axes, or of all elements: the mean squared distance from the mean. Floating point.
///
///     static_assert(eval(variance(tensor<float, 4>{1, 1, 3, 3}))() == 1);   // divided by 4, not by 3
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto variance(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::variance, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto variance(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::variance, true, Axes...>(std::forward<Expression>(e));
}

/// The position of the first largest element along an axis, as std::int32_t. For several axes, or all, it is the
/// row-major position among the reduced axes in the order of e, whatever the order of the arguments.
///
///     auto best = argmax<0, 2>(x);   // x [4, 8, 5] to [8]: best / 5 along axis 0, best % 5 along axis 2
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto argmax(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::argmax, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto argmax(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::argmax, true, Axes...>(std::forward<Expression>(e));
}

/// The position of the first smallest element; otherwise like `argmax`.
///
///     auto nearest = argmin<-1>(distances);   // [4, 8] to [4]
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto argmin(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::argmin, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto argmin(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::argmin, true, Axes...>(std::forward<Expression>(e));
}
template <auto... Given>
void argmin(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});

/// The product along axes, or of all elements. Integers multiply in their own type and wrap; any NaN gives NaN.
///
///     auto count = prod<-1>(extents);         // [4, 3] to [4]
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto prod(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::prod, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto prod(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::prod, true, Axes...>(std::forward<Expression>(e));
}
template <auto... Given>
void prod(detail::refused_reduction_call, detail::any_argument = {}, detail::any_argument = {});

/// Whether all elements are true, along axes or in total. bool elements.
///
///     if (all(x == y)) std::puts("equal");   // a scalar of bool is a condition
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto all(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::all, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto all(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::all, true, Axes...>(std::forward<Expression>(e));
}

/// Whether any element is true, along axes or in total. bool elements.
///
///     auto damaged = any<-1>(x != x);   // rows with a NaN
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto any(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::any, false, Axes...>(std::forward<Expression>(e));
}
template <auto... Axes, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto any(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::any, true, Axes...>(std::forward<Expression>(e));
}

/// log(sum(exp(e))) along an axis, by default the last, without overflow; minus infinity if all entries are.
///
///     auto total = logsumexp(scores);   // [..., n] to [...]
template <auto Axis = -1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto logsumexp(Expression&& e) noexcept {
    return detail::reduce<reduction_kind::logsumexp, false, Axis>(std::forward<Expression>(e));
}
template <auto Axis = -1, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto logsumexp(Expression&& e, keep_dims_t) noexcept {
    return detail::reduce<reduction_kind::logsumexp, true, Axis>(std::forward<Expression>(e));
}

}  // namespace ashlar
