// SPDX-License-Identifier: BSL-1.0
// Pooling: the mean or the largest entry of windows along one axis or two.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/minus_infinity.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/one_or_two.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/windows.hpp>

namespace ashlar::inline v0_1 {

/// The options of `avg_pool`: PyTorch's, with its defaults; a stride of 0 is the kernel. A kernel of two numbers pools
/// two axes.
struct avg_pool_options {
    one_or_two kernel, stride{}, padding{};
    bool ceil_mode = false;
    bool count_include_pad = true;
    bool channels_last = false;
};
/// The options of `max_pool`: PyTorch's, with its defaults; a stride of 0 is the kernel. A kernel of two numbers pools
/// two axes.
struct max_pool_options {
    one_or_two kernel, stride{}, padding{}, dilation = 1;
    bool ceil_mode = false;
    bool channels_last = false;
};

namespace detail {

struct pooled_axis {
    std::size_t axis = 0, kernel = 1, stride = 1, padding = 0, dilation = 1;
    bool ceil = false;

    constexpr std::size_t reach() const { return (kernel - 1) * dilation + 1; }
    /// The entries available to windows: with `ceil` the last window may extend past the padding by less than a stride.
    constexpr std::size_t room(std::size_t extent) const { return extent + 2 * padding + (ceil ? stride - 1 : 0); }
    constexpr bool fits(std::size_t extent) const {
        return kernel != 0 && dilation != 0 && 2 * padding <= kernel && reach() <= room(extent);
    }
    constexpr std::size_t windows(std::size_t extent) const {
        if (!fits(extent)) return 1;
        const std::size_t before = (room(extent) - reach()) / stride;
        // No window begins in the padding after the entries.
        return ceil && before * stride >= extent + padding ? before : before + 1;
    }
    /// The number of entries of the last window past the padding.
    constexpr std::size_t beyond(std::size_t extent) const {
        const std::size_t end = (windows(extent) - 1) * stride + reach();
        return end > extent + 2 * padding ? end - extent - 2 * padding : 0;
    }
};

/// The pooled axes of a shape of some rank: one or two.
template <class Options>
struct pooled_axes {
    pooled_axis axes[2]{};
    std::size_t count = 0;
    bool found = false;
};
template <class Options>
consteval pooled_axes<Options> pooled_axes_of(const Options& options, std::size_t rank) {
    pooled_axes<Options> result{};
    result.count = options.kernel.count;
    const std::size_t behind = options.channels_last ? 1 : 0;
    result.found = result.count != 0 && result.count + behind <= rank;
    if (!result.found) return result;
    for (std::size_t i = 0; i < result.count; ++i) {
        const auto of = [&](const one_or_two& pair) { return i == 0 ? pair.first : pair.second; };
        pooled_axis axis{rank - behind - result.count + i, of(options.kernel), of(options.stride), of(options.padding)};
        if (axis.stride == 0) axis.stride = axis.kernel;
        if constexpr (requires { options.dilation; }) axis.dilation = of(options.dilation);
        axis.ceil = options.ceil_mode;
        result.axes[i] = axis;
    }
    return result;
}

/// Whether a shape has the axes to be pooled, and whether windows fit into them.
template <auto Options, class Shape>
struct pool_axes {
    static constexpr auto axes = pooled_axes_of(Options, Shape::rank);
    static constexpr bool exist = axes.found;
};
template <auto Options, class Shape>
struct pool_windows {
    static consteval bool check() {
        constexpr auto all = pool_axes<Options, Shape>::axes;
        for (std::size_t i = 0; all.found && i < all.count; ++i)
            if (!all.axes[i].fits(Shape::extents[all.axes[i].axis])) return false;
        return true;
    }
    static constexpr bool fit = check();
};

template <auto Options, class Shape>
consteval auto pooled_shape() {
    return build_shape<Shape::rank>([]<std::size_t Place>() {
        using axes = pool_axes<Options, Shape>;
        if constexpr (axes::axes.count > 0 && axes::axes.axes[0].axis == Place)
            return axes::axes.axes[0].windows(Shape::extents[Place]);
        else if constexpr (axes::axes.count > 1 && axes::axes.axes[1].axis == Place)
            return axes::axes.axes[1].windows(Shape::extents[Place]);
        else
            return dimension_at<Shape, Place>;
    });
}

/// The largest window over two axes that is reduced as a whole; larger ones along one axis after the other.
inline constexpr std::size_t most_entries_at_once = 16;

template <pooled_axis Along, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto windows_along(Expression&& e) noexcept {
    return windows<Along.axis, Along.kernel, Along.stride, Along.dilation>(std::forward<Expression>(e));
}
template <reduction_kind Kind, pooled_axis Along, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto pool_along(Expression&& e) noexcept {
    return reduce_one<Kind, Along.axis + 1, false>(windows_along<Along>(std::forward<Expression>(e)));
}

/// An expression with the padding of a pooled axis around it.
template <pooled_axis Along, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto framed(Expression&& e, element_of<Expression> outside) noexcept {
    constexpr std::size_t extent = shape_of<Expression>::extents[Along.axis];
    return pad_along<Along.axis, Along.padding, Along.padding + Along.beyond(extent)>(std::forward<Expression>(e),
                                                                                      outside);
}

template <reduction_kind Kind, auto Options, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto pool(Expression&& e, element_of<Expression> outside) noexcept {
    constexpr auto all = pool_axes<Options, shape_of<Expression>>::axes;
    constexpr pooled_axis across = all.axes[all.count - 1], down = all.axes[0];
    if constexpr (all.count == 1)
        return pool_along<Kind, across>(framed<across>(std::forward<Expression>(e), outside));
    else if constexpr (across.kernel * down.kernel <= most_entries_at_once)
        return reduce_one<Kind, down.axis + 1, false>(reduce_one<Kind, across.axis + 2, false>(windows_along<down>(
            windows_along<across>(framed<down>(framed<across>(std::forward<Expression>(e), outside), outside)))));
    else
        return pool_along<Kind, down>(
            framed<down>(pool_along<Kind, across>(framed<across>(std::forward<Expression>(e), outside)), outside));
}

/// The number of entries of each window along an axis, with or without padding; entries past the padding do not count.
template <class Element, std::size_t Extent, pooled_axis Along, bool Padded>
consteval auto window_sizes() {
    basic_tensor<Element, Along.windows(Extent)> sizes{};
    constexpr std::size_t first = Padded ? 0 : Along.padding;
    constexpr std::size_t last = Extent + (Padded ? 2 : 1) * Along.padding;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (std::size_t k = 0; k < Along.kernel; ++k)
            if (i * Along.stride + k >= first && i * Along.stride + k < last) sizes.elements[i] += 1;
    return sizes;
}
template <class Element, std::size_t Extent, pooled_axis Along, bool Padded>
inline constexpr auto sizes_of_windows = window_sizes<Element, Extent, Along, Padded>();

/// The sums of windows divided by their number of entries along one axis.
template <auto Options, std::size_t Index, class From, any_expression Sums>
ASHLAR_ALWAYS_INLINE constexpr auto divided_by_sizes(Sums&& sums) noexcept {
    constexpr pooled_axis along = pool_axes<Options, From>::axes.axes[Index];
    constexpr std::size_t extent = From::extents[along.axis];
    using column = decltype(column_shape<along.windows(extent), From::rank - along.axis>());
    return std::forward<Sums>(sums) /
           reshape_to<column>(sizes_of_windows<element_of<Sums>, extent, along, Options.count_include_pad>);
}

/// Whether all windows of a mean have as many entries as the kernel.
template <auto Options, class From>
consteval bool windows_are_whole() {
    constexpr auto all = pool_axes<Options, From>::axes;
    if (!Options.count_include_pad) return false;
    for (std::size_t i = 0; i < all.count; ++i)
        if (all.axes[i].beyond(From::extents[all.axes[i].axis]) != 0) return false;
    return true;
}

}  // namespace detail

/// The mean of windows along the last axis, or the last two if the kernel is a pair; with `.channels_last` the last
/// axis is skipped. Padding, at most half of the kernel, counts as zeros unless `.count_include_pad = false`. An extent
/// n becomes (n + 2 * padding - kernel) / stride + 1, rounded up with `.ceil_mode`: the last window may then have fewer
/// entries, and its mean is over those. Floating point, lazy. PyTorch's F.avg_pool1d and F.avg_pool2d.
///
///     auto y = avg_pool<{.kernel = 3, .stride = 2, .padding = 1}>(signal);   // [8, 80, 100] to [8, 80, 50]
///     auto z = avg_pool<{.kernel = {2, 2}}>(image);                          // [3, 32, 32] to [3, 16, 16]
template <avg_pool_options Options, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto avg_pool(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    using Element = element_of<Expression>;
    constexpr bool exist = detail::pool_axes<Options, from>::exist, fit = detail::pool_windows<Options, from>::fit;
    static_assert(detail::reduced_elements<reduction_kind::mean, Element>::allowed,
                  "ashlar: avg_pool: the elements must be floating-point numbers; use cast<float>(x)");
    static_assert(detail::pool_axes<Options, from>::exist,
                  "ashlar: pool: the kernel must be one number or two, and the shape have as many axes to pool over");
    static_assert(detail::pool_windows<Options, from>::fit,
                  "ashlar: pool: the kernel must fit into the padded axis, and the padding be at most half of it");
    if constexpr (!exist) {
        return detail::refused<Element, from>();
    } else if constexpr (!fit || !detail::reduced_elements<reduction_kind::mean, Element>::allowed) {
        return detail::refused<Element, decltype(detail::pooled_shape<Options, from>())>();
    } else if constexpr (detail::windows_are_whole<Options, from>()) {
        constexpr auto all = detail::pool_axes<Options, from>::axes;
        constexpr auto size = all.axes[0].kernel * (all.count == 2 ? all.axes[1].kernel : 1);
        return detail::pool<reduction_kind::sum, Options>(std::forward<Expression>(e), Element(0)) *
               Element(1.0 / static_cast<double>(size));
    } else if constexpr (detail::pool_axes<Options, from>::axes.count == 1) {
        return detail::divided_by_sizes<Options, 0, from>(
            detail::pool<reduction_kind::sum, Options>(std::forward<Expression>(e), Element(0)));
    } else {
        return detail::divided_by_sizes<Options, 0, from>(detail::divided_by_sizes<Options, 1, from>(
            detail::pool<reduction_kind::sum, Options>(std::forward<Expression>(e), Element(0))));
    }
}

/// The largest entry of windows along the last axis, or the last two if the kernel is a pair; with `.channels_last` the
/// last axis is skipped. Padding is minus infinity, or the least integer, so it is never the largest. An extent n
/// becomes (n + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, rounded up with `.ceil_mode`: the last window
/// may then have fewer entries. Lazy. PyTorch's F.max_pool1d and F.max_pool2d.
///
///     auto y = max_pool<{.kernel = 3, .stride = 2, .padding = 1}>(signal);   // [8, 80, 100] to [8, 80, 50]
///     auto z = max_pool<{.kernel = {2, 2}}>(image);                          // [3, 32, 32] to [3, 16, 16]
template <max_pool_options Options, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto max_pool(Expression&& e) noexcept {
    using from = shape_of<Expression>;
    using Element = element_of<Expression>;
    constexpr bool exist = detail::pool_axes<Options, from>::exist, fit = detail::pool_windows<Options, from>::fit;
    static_assert(detail::reduced_elements<reduction_kind::max, Element>::allowed,
                  "ashlar: max_pool: the elements must be numbers; of bools use any");
    static_assert(detail::pool_axes<Options, from>::exist,
                  "ashlar: pool: the kernel must be one number or two, and the shape have as many axes to pool over");
    static_assert(detail::pool_windows<Options, from>::fit,
                  "ashlar: pool: the kernel must fit into the padded axis, and the padding be at most half of it");
    if constexpr (!exist) {
        return detail::refused<Element, from>();
    } else if constexpr (!fit || !detail::reduced_elements<reduction_kind::max, Element>::allowed) {
        return detail::refused<Element, decltype(detail::pooled_shape<Options, from>())>();
    } else {
        constexpr Element lowest = [] {
            if constexpr (std::is_floating_point_v<Element>)
                return -std::numeric_limits<Element>::infinity();
            else
                return std::numeric_limits<Element>::lowest();
        }();
        return detail::pool<reduction_kind::max, Options>(std::forward<Expression>(e), lowest);
    }
}

}  // namespace ashlar
