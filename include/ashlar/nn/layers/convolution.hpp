// SPDX-License-Identifier: BSL-1.0
// Shared parts of convolutions: the input in memory with channels last, and its taps side by side.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/expr/shape/windows.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/materialized.hpp>
#include <ashlar/nn/layers/padding_mode.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The parameters of a convolution along one axis.
struct convolved_axis {
    std::size_t kernel = 1, stride = 1, padding = 0, dilation = 1;

    constexpr std::size_t reach() const { return (kernel - 1) * dilation + 1; }
    constexpr bool fits(std::size_t extent) const { return kernel != 0 && reach() <= extent + 2 * padding; }
    constexpr std::size_t windows(std::size_t extent) const {
        return fits(extent) && stride != 0 ? (extent + 2 * padding - reach()) / stride + 1 : 1;
    }
    /// Whether result i depends on entry i only.
    constexpr bool is_pointwise() const { return kernel == 1 && stride == 1 && padding == 0; }
};

/// Channels and groups of a convolution.
struct convolved_channels {
    std::size_t in = 1, out = 1, groups = 1;

    constexpr std::size_t in_group() const { return in / groups; }
    constexpr std::size_t out_group() const { return out / groups; }
    constexpr bool is_depthwise() const { return groups == in && groups != 1; }
};

/// Whether the options of a convolution are consistent.
template <auto Channels, auto... Axes>
struct convolution_options {
    static constexpr bool valid = Channels.in != 0 && Channels.out != 0 && Channels.groups != 0 &&
                                  Channels.in % Channels.groups == 0 && Channels.out % Channels.groups == 0 &&
                                  (true && ... && (Axes.kernel != 0 && Axes.stride != 0 && Axes.dilation != 0));
};

/// Whether an input has the channels on the axis that the module expects.
template <class Input, std::size_t Spatial, std::size_t Channels, bool ChannelsLast>
struct convolution_input {
    static consteval bool check() {
        if constexpr (Input::rank < Spatial + 1)
            return false;
        else
            return Input::extents[Input::rank - 1 - (ChannelsLast ? 0 : Spatial)] == Channels;
    }
    static constexpr bool fits = check();
};
/// Whether the kernel fits into the axes of an input, the first of them at position First.
template <class Input, std::size_t First, auto... Axes>
struct convolution_kernel {
    static consteval bool check() {
        std::size_t axis = First;
        return (true && ... && Axes.fits(Input::extents[axis++]));
    }
    static constexpr bool fits = check();
};

/// The matrix [taps * channels of a group, out] of a convolution: packed if it is the right operand of one product.
template <class Element, std::size_t Panel, std::size_t Rows, std::size_t Columns, bool OneGroup>
struct convolution_matrix {
    using type = basic_tensor<table_element<Element>, Rows, Columns>;
};
template <class Element, std::size_t Panel, std::size_t Rows, std::size_t Columns>
struct convolution_matrix<Element, Panel, Rows, Columns, true> {
    using type = weight_matrix<Element, Panel, Rows, Columns>;
};

/// x in memory with contiguous channels (its last axis) and padding before and after an axis: in place if it is so
/// already, else in scratch.
template <std::size_t Axis, std::size_t Padding, padding_mode Mode, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto padded(Input&& x) noexcept {
    using plain = std::remove_cvref_t<Input>;
    if constexpr (Padding != 0) {
        return padded_by<Mode, Axis, Padding>(std::forward<Input>(x));
    } else if constexpr (ashlar::detail::viewable<Input>) {
        if constexpr (plain::strides[plain::rank - 1] == 1 || plain::extents[plain::rank - 1] == 1)
            return ashlar::detail::itself(std::forward<Input>(x));
        else
            return materialized<Axis>(std::forward<Input>(x));
    } else {
        return materialized<Axis>(std::forward<Input>(x));
    }
}

/// [..., n, last] with the last two axes as one.
template <class Shape>
consteval auto last_two_merged() {
    return ashlar::detail::merged_axes<Shape, Shape::rank - 2, 2>();
}

/// [..., T, groups * c] as [..., groups, T, c]: Inner axes are between the groups' new place and the channels.
template <std::size_t Groups, std::size_t Inner, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto groups_first(Input&& x) noexcept {
    if constexpr (Groups == 1) {
        return ashlar::detail::hold(std::forward<Input>(x));
    } else {
        using from = shape_of<Input>;
        constexpr std::size_t rank = from::rank + 1;
        using split = decltype(ashlar::detail::build_shape<rank>([]<std::size_t Place>() {
            if constexpr (Place + 2 < rank)
                return ashlar::detail::dimension_at<from, Place>;
            else if constexpr (Place + 2 == rank)
                return Groups;
            else
                return from::extents[from::rank - 1] / Groups;
        }));
        constexpr auto order = [] {
            std::array<std::size_t, rank> axes{};
            const std::size_t place = rank - 2 - Inner;
            for (std::size_t i = 0; i < rank; ++i)
                axes[i] = i < place || i + 1 == rank ? i : i == place ? rank - 2 : i - 1;
            return ashlar::detail::spelled_out(axes);
        }();
        return ashlar::detail::permute_by<order>(ashlar::detail::reshape_to<split>(std::forward<Input>(x)));
    }
}
/// The inverse: [..., groups, T, c] as [..., T, groups * c].
template <std::size_t Groups, std::size_t Inner, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto groups_last(Input&& x) noexcept {
    if constexpr (Groups == 1) {
        return ashlar::detail::hold(std::forward<Input>(x));
    } else {
        constexpr std::size_t rank = shape_of<Input>::rank;
        constexpr auto order = [] {
            std::array<std::size_t, rank> axes{};
            const std::size_t place = rank - 2 - Inner;
            for (std::size_t i = 0; i < rank; ++i)
                axes[i] = i < place || i + 1 == rank ? i : i + 2 == rank ? place : i + 1;
            return ashlar::detail::spelled_out(axes);
        }();
        auto rows = ashlar::detail::permute_by<order>(std::forward<Input>(x));
        return ashlar::detail::reshape_to<decltype(last_two_merged<shape_of<decltype(rows)>>())>(std::move(rows));
    }
}

/// Any number of parts, concatenated along the last axis.
template <class First, class... Rest>
ASHLAR_ALWAYS_INLINE constexpr auto side_by_side(First&& first, Rest&&... rest) noexcept {
    if constexpr (sizeof...(Rest) == 0)
        return ashlar::detail::hold(std::forward<First>(first));
    else
        return concat<-1>(std::forward<First>(first), std::forward<Rest>(rest)...);
}

/// The entries of an axis that one tap of the kernel reads.
template <std::size_t Axis, convolved_axis Along, std::size_t Tap, std::size_t Count, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto tap_of(const Input& x) noexcept {
    if constexpr (Along.is_pointwise())
        return ashlar::detail::hold(x);
    else
        return ashlar::detail::slice_from<Axis, Count, static_cast<std::ptrdiff_t>(Along.stride)>(
            x, static_cast<std::ptrdiff_t>(Tap * Along.dilation));
}

/// x [..., n] as [..., Stride, lines]: entry i is at [i % Stride, i / Stride], so that windows with this stride read
/// neighbours. Zeros fill the last line.
template <std::size_t Stride, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto phases(Input&& x) noexcept {
    using from = shape_of<Input>;
    constexpr std::size_t last = from::rank - 1, lines = (from::extents[last] + Stride - 1) / Stride,
                          missing = lines * Stride - from::extents[last];
    if constexpr (missing != 0) {
        return phases<Stride>(pad<static_cast<std::ptrdiff_t>(last), 0, missing>(std::forward<Input>(x)));
    } else {
        using split = decltype(ashlar::detail::build_shape<from::rank + 1>([]<std::size_t Place>() {
            if constexpr (Place < last)
                return ashlar::detail::dimension_at<from, Place>;
            else
                return Place == last ? lines : Stride;
        }));
        return transpose(ashlar::detail::reshape_to<split>(std::forward<Input>(x)));
    }
}
/// The entries of the last axis that one tap reads, of x in phases: [..., Stride, lines] to [..., Count].
template <convolved_axis Along, std::size_t Tap, std::size_t Count, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto tap_of_phases(const Input& x) noexcept {
    constexpr std::size_t axis = shape_of<Input>::rank - 2, place = Tap * Along.dilation;
    return squeeze<static_cast<std::ptrdiff_t>(axis)>(ashlar::detail::slice_from<axis + 1, Count, 1>(
        ashlar::detail::slice_from<axis, 1, 1>(x, static_cast<std::ptrdiff_t>(place % Along.stride)),
        static_cast<std::ptrdiff_t>(place / Along.stride)));
}
/// The maximum number of parts of one join.
inline constexpr std::size_t most_taps_of_a_join = 12;

/// The windows of x, which is in memory, along the axis before the channels: [..., T, c] as [..., windows, taps * c],
/// without a copy if taps are contiguous.
template <convolved_axis Along, std::size_t Groups, std::size_t Inner, std::size_t First = 0, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto taps_of(const Input& x) noexcept {
    constexpr std::size_t axis = shape_of<Input>::rank - 2;
    constexpr std::size_t count = (shape_of<Input>::extents[axis] - Along.reach()) / Along.stride + 1;
    constexpr std::size_t last =
        First + most_taps_of_a_join < Along.kernel ? First + most_taps_of_a_join : Along.kernel;
    if constexpr (Along.kernel == 1) {
        return groups_first<Groups, Inner>(tap_of<axis, Along, 0, count>(x));
    } else if constexpr (Groups == 1 && Along.dilation == 1) {
        auto all = windows<axis, Along.kernel, Along.stride>(x);
        return ashlar::detail::reshape_to<decltype(last_two_merged<shape_of<decltype(all)>>())>(std::move(all));
    } else {
        auto some = [&]<std::size_t... Tap>(std::index_sequence<Tap...>) ASHLAR_LAMBDA_INLINE {
            return side_by_side(groups_first<Groups, Inner>(tap_of<axis, Along, First + Tap, count>(x))...);
        }(std::make_index_sequence<last - First>{});
        if constexpr (last == Along.kernel)
            return some;
        else
            return concat<-1>(std::move(some), taps_of<Along, Groups, Inner, last>(x));
    }
}

/// Whether taps_of names its operand once.
consteval bool names_once(const convolved_axis& along, std::size_t groups) {
    return along.kernel == 1 || (groups == 1 && along.dilation == 1);
}

/// Passes an operand to a function: in memory if the function reads it more than once.
template <bool Once, class Input, class Function>
ASHLAR_ALWAYS_INLINE constexpr auto read_by(Input&& x, const Function& f) noexcept {
    if constexpr (Once)
        return f(x);
    else
        return used_often(std::forward<Input>(x), f);
}

/// A product of rows with the groups' matrices: [..., groups, T, taps * c] to [..., T, out], Inner axes of rows.
template <convolved_channels Channels, std::size_t Inner, any_expression Rows, class Weight>
ASHLAR_ALWAYS_INLINE constexpr auto multiplied(Rows&& rows, const Weight& weight) noexcept {
    if constexpr (Channels.groups == 1) {
        return matmul(std::forward<Rows>(rows), weight);
    } else {
        constexpr std::size_t depth = shape_of<Weight>::extents[0];
        const auto split = permute<1, 0, 2>(reshape<depth, Channels.groups, Channels.out_group()>(weight));
        if constexpr (Inner == 1)
            return groups_last<Channels.groups, Inner>(matmul(std::forward<Rows>(rows), split));
        else
            return groups_last<Channels.groups, Inner>(matmul(std::forward<Rows>(rows), unsqueeze<1>(split)));
    }
}

/// Each channel, repeated for each of its results; in memory if it has more than one.
template <convolved_channels Channels, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto channels_repeated(Input&& x) noexcept {
    if constexpr (Channels.out == Channels.in)
        return ashlar::detail::hold(std::forward<Input>(x));
    else
        return materialized<0>(ashlar::detail::repeat<-1, Channels.out / Channels.in>(std::forward<Input>(x)));
}

/// The maximum number of taps that a sum has as single terms.
inline constexpr std::size_t most_taps_of_a_sum = 32;

/// f(std::integral_constant of 0) + f(of 1) + ..., Count terms.
template <std::size_t Count, class Function>
ASHLAR_ALWAYS_INLINE constexpr auto sum_of_taps(const Function& f) noexcept {
    return [&]<std::size_t... Tap>(std::index_sequence<Tap...>) ASHLAR_LAMBDA_INLINE {
        return (... + f(std::integral_constant<std::size_t, Tap>{}));
    }(std::make_index_sequence<Count>{});
}

}  // namespace ashlar::nn::detail
