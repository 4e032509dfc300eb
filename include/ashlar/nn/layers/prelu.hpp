// SPDX-License-Identifier: BSL-1.0
// prelu: relu with a learnt slope for negative entries.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/channels.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `prelu`: one slope for all entries, or one for each channel. Channels are axis 1, as in PyTorch;
/// without `batch` axis 0, and with `channels_last` the last one.
struct prelu_options {
    width channels = 1;
    bool batch = true;
    bool channels_last = false;
};

/// max(x, 0) + weight * min(x, 0), lazily, in the shape of x. PyTorch's nn.PReLU: `weight` [channels] in weight files,
/// 0.25 at first.
///
///     nn::prelu<{.channels = 16, .channels_last = true}> bend{};
///     tensor<float, 64, 16> y = bend(x);   // x: tensor<float, 64, 16>
template <prelu_options Options, class Element = float>
struct prelu {
    static constexpr prelu_options options = Options;
    static constexpr auto initialization = detail::initialization::slope;
    static constexpr std::size_t channels = options.channels;

    basic_tensor<Element, channels> weight;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        using place = detail::channel_axis<shape_of<Input>, channels, options.batch, options.channels_last>;
        static_assert(
            channels == 1 ||
                detail::channel_axis<shape_of<Input>, channels, options.batch, options.channels_last>::fits,
            "ashlar: nn: the channels of the input must be axis 1, axis 0 with .batch = false or the last one with "
            ".channels_last, and as many as the module has");
        if constexpr (channels == 1)
            return bent(std::forward<Input>(x), reshape<1>(weight));
        else if constexpr (!place::fits)
            return ashlar::detail::refused<element_of<Input>, shape_of<Input>>();
        else
            return bent(std::forward<Input>(x),
                        detail::broadcast_to_channels<shape_of<Input>, place::position>(weight));
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.weight);
    }

private:
    template <any_expression Input, any_expression Slopes>
    ASHLAR_ALWAYS_INLINE static constexpr auto bent(Input&& x, const Slopes& slope) noexcept {
        return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
            return (max)(y, element_of<Input>(0)) + slope * (min)(y, element_of<Input>(0));
        });
    }
};

}  // namespace ashlar::nn
