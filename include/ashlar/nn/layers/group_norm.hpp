// SPDX-License-Identifier: BSL-1.0
// group_norm: normalises groups of channels.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/masked_mean.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/channels.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/materialized.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `group_norm`, those of PyTorch's nn.GroupNorm. Without `batch` inputs have no batch axis before their
/// channels; with `channels_last` these are the last axis.
struct group_norm_options {
    width groups, channels;
    double eps = 1e-5;
    bool affine = true;
    bool batch = true;
    bool channels_last = false;
};

namespace detail {

/// Whether an input has channels on the axis that a module expects, and one axis besides channels and batch.
template <class Input, std::size_t Channels, bool Batch, bool ChannelsLast>
struct timed_channels {
    static constexpr bool fit =
        channel_axis<Input, Channels, Batch, ChannelsLast>::fits && Input::rank == (Batch ? 3 : 2);
};

/// Whether channels split into equal groups.
template <std::size_t Channels, std::size_t Groups>
struct channel_groups {
    static constexpr bool equal = Groups != 0 && Channels % Groups == 0;
};

/// The axes of a shape before First, then two others.
template <class Shape, std::size_t First, std::size_t Rows, std::size_t Columns>
using matrices_behind = decltype(ashlar::detail::build_shape<First + 2>([]<std::size_t Place>() {
    if constexpr (Place < First)
        return ashlar::detail::dimension_at<Shape, Place>;
    else
        return Place == First ? Rows : Columns;
}));

}  // namespace detail

/// (x - mean) / sqrt(variance + eps) over the channels of a group and all axes after the channels, with the biased
/// variance, times weight plus bias of each channel (Wu and He 2018), lazily: x's shape. Channels are axis 1, as in
/// PyTorch's nn.GroupNorm: [batch, channels, time]. 2 * channels parameters.
///
/// With `keys_below(n)` mean and variance are those of the first n times, so that signals of any length share a module;
/// later times do not affect them, not even NaN. The result has all times; with `.channels_last` and `rows_below(n)`
/// after the expression it has its first n, at their cost only.
///
///     nn::group_norm<{.groups = 4, .channels = 80}> norm{.weight = full<float, 80>(1), .bias = {}};
///     tensor<float, 2, 80, 50> y = norm(mel);            // mel: tensor<float, 2, 80, 50>
///     y = norm(mel, keys_below(lengths));                // lengths: tensor<int, 2>
template <group_norm_options Options, class Element = float>
struct group_norm {
    static constexpr group_norm_options options = Options;
    static constexpr auto initialization = detail::initialization::channel_norm;
    static constexpr std::size_t groups = Options.groups, channels = Options.channels;
    static_assert(detail::channel_groups<channels, groups>::equal,
                  "ashlar: nn: the groups of a group_norm must divide its channels");

    [[no_unique_address]] detail::optional_vector<Options.affine, Element, channels> weight;
    [[no_unique_address]] detail::optional_vector<Options.affine, Element, channels> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        using from = shape_of<Input>;
        using place = detail::channel_axis<from, channels, Options.batch, Options.channels_last>;
        static_assert(
            detail::channel_axis<from, channels, Options.batch, Options.channels_last>::fits,
            "ashlar: nn: the channels of the input must be axis 1, axis 0 with .batch = false or the last one "
            "with .channels_last, and as many as the module has");
        if constexpr (!place::fits) {
            return ashlar::detail::refused<element_of<Input>, from>();
        } else if constexpr (Options.channels_last && from::rank > (Options.batch ? 2 : 1)) {
            constexpr std::size_t first = Options.batch ? 1 : 0;
            return normed_last<first>(std::forward<Input>(x));
        } else {
            auto y = normed<place::position>(std::forward<Input>(x));
            if constexpr (Options.affine)
                return std::move(y) * detail::broadcast_to_channels<from, place::position>(weight) +
                       detail::broadcast_to_channels<from, place::position>(bias);
            else
                return y;
        }
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;
    /// The same with mean and variance over the times that a mask keeps, a mask of one query whose keys are times.
    /// Inputs have one axis besides channels and batch.
    template <any_expression Input, any_mask Kept>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, const Kept& kept) const& noexcept {
        using from = shape_of<Input>;
        static_assert(
            detail::timed_channels<from, channels, Options.batch, Options.channels_last>::fit,
            "ashlar: nn: with a mask the input of a group_norm must be [batch, channels, time], without batch "
            "if .batch = false, or with .channels_last [batch, time, channels]; reshape it");
        if constexpr (!detail::timed_channels<from, channels, Options.batch, Options.channels_last>::fit)
            return ashlar::detail::refused<element_of<Input>, from>();
        else
            return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
                return with_affine(normed_by(y, kept));
            });
    }
    template <any_expression Input, any_mask Kept>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, const Kept& kept) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), kept);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        if constexpr (Options.affine) {
            visit("weight", self.weight);
            visit("bias", self.bias);
        }
    }

private:
    /// y times the factors of its channels plus their shifts.
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto with_affine(Input&& y) const noexcept {
        using from = shape_of<Input>;
        if constexpr (!Options.affine)
            return ashlar::detail::hold(std::forward<Input>(y));
        else if constexpr (Options.channels_last)
            return std::forward<Input>(y) * weight + bias;
        else
            return std::forward<Input>(y) * detail::broadcast_to_channels<from, from::rank - 2>(weight) +
                   detail::broadcast_to_channels<from, from::rank - 2>(bias);
    }
    /// x, in memory or named, with each group normalised to mean 0 and variance 1 over the kept times. It computes
    /// means over the channels of a group first, then their mean over time.
    template <class Input, class Kept>
    ASHLAR_ALWAYS_INLINE static constexpr auto normed_by(const Input& x, const Kept& kept) noexcept {
        using from = shape_of<Input>;
        // [..., groups, channels of one, time], or [..., time, groups, channels of one].
        constexpr std::ptrdiff_t inner = Options.channels_last ? -1 : -2, time = Options.channels_last ? -2 : -1;
        using split = decltype(ashlar::detail::build_shape<from::rank + 1>([]<std::size_t Place>() {
            constexpr std::size_t axis = from::rank - (Options.channels_last ? 1 : 2);
            if constexpr (Place < axis)
                return ashlar::detail::dimension_at<from, Place>;
            else if constexpr (Place == axis)
                return groups;
            else if constexpr (Place == axis + 1)
                return channels / groups;
            else
                return ashlar::detail::dimension_at<from, Place - 1>;
        }));
        // One value per group, broadcast to [groups, channels, time] or [time, groups, channels].
        const auto beside = [](auto&& v) ASHLAR_LAMBDA_INLINE {
            if constexpr (Options.channels_last)
                return unsqueeze<-1>(unsqueeze<-2>(std::forward<decltype(v)>(v)));
            else
                return unsqueeze<-1>(unsqueeze<-1>(std::forward<decltype(v)>(v)));
        };
        // With channels last, weights of the times as in attention, so that loops skip times that are not kept.
        const auto average = [&](auto&& v) ASHLAR_LAMBDA_INLINE {
            auto of_times = mean<inner>(std::forward<decltype(v)>(v));
            if constexpr (Options.channels_last) {
                using means = typename decltype(of_times)::shape_type;
                using scores = decltype(ashlar::detail::one_query_of<means, means::rank - 2>());
                auto weights = softmax(masked(
                    ashlar::detail::broadcast_as<scores>(ashlar::scalar_node<element_of<Input>>{element_of<Input>(0)}),
                    kept));
                return squeeze<-2>(matmul(std::move(weights), std::move(of_times)));
            } else {
                return masked_mean<time>(std::move(of_times), kept);
            }
        };
        return let(average(ashlar::detail::reshape_to<split>(x)), [&](const auto& centre) ASHLAR_LAMBDA_INLINE {
            const auto apart = ashlar::detail::reshape_to<split>(x) - beside(centre);
            return let(rsqrt(average(apart * apart) + static_cast<element_of<Input>>(options.eps)),
                       [&](const auto& factor)
                           ASHLAR_LAMBDA_INLINE { return ashlar::detail::reshape_to<from>(apart * beside(factor)); });
        });
    }
    /// The same with channels last, of [..., H, W, channels]: means over the image of each channel, then over the
    /// channels of each group, which all of these get. Axes before First are batch axes.
    template <std::size_t First, any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto normed_last(Input&& x) const noexcept {
        using from = shape_of<Input>;
        constexpr std::size_t pixels = ashlar::detail::merged_extent(from::extents, First, from::rank - First - 1);
        using image = detail::matrices_behind<from, First, pixels, channels>;
        using split = detail::matrices_behind<from, First, groups, channels / groups>;
        using one_row = detail::matrices_behind<from, First, 1, channels>;
        const auto of_groups = [](auto&& v) ASHLAR_LAMBDA_INLINE {
            return mean<-1>(ashlar::detail::reshape_to<split>(mean<-2>(std::forward<decltype(v)>(v))), keep_dims);
        };
        const auto of_channels = [](auto&& v) ASHLAR_LAMBDA_INLINE {
            return ashlar::detail::reshape_to<one_row>(
                ashlar::detail::broadcast_as<split>(std::forward<decltype(v)>(v)));
        };
        return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
            return let(of_channels(of_groups(ashlar::detail::reshape_to<image>(y))),
                       [&](const auto& centre) ASHLAR_LAMBDA_INLINE {
                           const auto apart = ashlar::detail::reshape_to<image>(y) - centre;
                           auto factor = rsqrt(of_groups(apart * apart) + static_cast<element_of<Input>>(options.eps));
                           return let(detail::materialized<0>(of_channels(std::move(factor))),
                                      [&](const auto& f) ASHLAR_LAMBDA_INLINE {
                                          return ashlar::detail::reshape_to<from>(this->with_affine(apart * f));
                                      });
                       });
        });
    }
    /// Normalises each group as one row; groups begin at axis Position. The rows are in memory, where the reshape costs
    /// nothing: readers of other rows would look up each element by itself.
    template <std::size_t Position, any_expression Input>
    ASHLAR_ALWAYS_INLINE static constexpr auto normed(Input&& x) noexcept {
        using from = shape_of<Input>;
        using rows = decltype(ashlar::detail::build_shape<Position + 2>([]<std::size_t Place>() {
            if constexpr (Place < Position)
                return ashlar::detail::dimension_at<from, Place>;
            else if constexpr (Place == Position)
                return groups;
            else
                return ashlar::detail::merged_extent(from::extents, Position, from::rank - Position) / groups;
        }));
        return ashlar::detail::reshape_to<from>(detail::materialized<0>(
            ashlar::layer_norm(ashlar::detail::reshape_to<rows>(std::forward<Input>(x)), options.eps)));
    }
};

}  // namespace ashlar::nn
