// SPDX-License-Identifier: BSL-1.0
// conv1d: a convolution over a signal with learnt weights.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/convolution.hpp>
#include <ashlar/nn/layers/padding_mode.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `conv1d`, those of PyTorch's nn.Conv1d: channels in and out, the kernel, and its steps along time.
/// With `channels_last` inputs are [..., time, in].
struct conv1d_options {
    width in, out, kernel;
    width stride = 1, padding = 0, dilation = 1, groups = 1;
    bool bias = true;
    nn::padding_mode padding_mode = nn::padding_mode::zeros;
    bool channels_last = false;
};

/// Weighted sums over windows of time and all channels of a group: [..., in, T] to [..., out, windows], or with
/// `channels_last` [..., T, in] to [..., windows, out], lazily; windows = (T + 2 * padding - dilation * (kernel - 1) -
/// 1) / stride + 1. PyTorch's nn.Conv1d: in weight files `weight` is [out, in / groups, kernel] and `bias` [out]. Here
/// the matrix is [kernel * in / groups, out], packed if there is one group. If the channels of a signal are contiguous,
/// its windows are the rows of the product and are read in place. A padded or computed input, or one with contiguous
/// time, is copied to scratch, which `workspace_bytes` counts; nothing else of the input's size is. in / groups *
/// kernel * out + out parameters.
///
///     nn::conv1d<{.in = 80, .out = 64, .kernel = 3, .padding = 1}> stem{};
///     tensor<float, 2, 64, 50> features = gelu(stem(mel));   // mel: tensor<float, 2, 80, 50>
template <conv1d_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct conv1d {
    static constexpr conv1d_options options = Options;
    static constexpr auto initialization = detail::initialization::convolution;
    static constexpr std::size_t in = Options.in, out = Options.out, kernel = Options.kernel;

private:
    static constexpr detail::convolved_axis along{Options.kernel, Options.stride, Options.padding, Options.dilation};
    static constexpr detail::convolved_channels channels{Options.in, Options.out, Options.groups};
    static_assert(
        detail::convolution_options<channels, along>::valid,
        "ashlar: nn: a convolution needs channels, a kernel, a stride and a dilation that are not 0, and groups "
        "that divide both its channels");
    static constexpr std::size_t depth = kernel * channels.in_group();

public:
    typename detail::convolution_matrix<Weight, Panel, depth, out, channels.groups == 1>::type weight;
    [[no_unique_address]] detail::optional_vector<Options.bias, Element, out> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        using from = shape_of<Input>;
        constexpr bool wide = detail::convolution_input<from, 1, in, Options.channels_last>::fits;
        static_assert(
            detail::convolution_input<from, 1, in, Options.channels_last>::fits,
            "ashlar: nn: the input of a convolution must be [..., channels, time] with as many channels as the "
            "options say, with .channels_last [..., time, channels]; transpose it or change one");
        if constexpr (!wide) {
            return ashlar::detail::refused<element_of<Input>, from>();
        } else {
            constexpr std::size_t axis = from::rank - (Options.channels_last ? 2 : 1);
            static_assert(detail::convolution_kernel<from, axis, along>::fits,
                          "ashlar: nn: the kernel of a convolution must fit into the padded input; add padding or make "
                          "the input longer");
            static_assert(
                detail::padding_entries<along.padding, from::extents[axis], options.padding_mode>::exist,
                "ashlar: nn: a padding that reflects must be less than the extent of its axis, and a circular one at "
                "most that; make it smaller");
            if constexpr (!detail::convolution_kernel<from, axis, along>::fits ||
                          !detail::padding_entries<along.padding, from::extents[axis], options.padding_mode>::exist)
                return ashlar::detail::refused<element_of<Input>, from>();
            else if constexpr (Options.channels_last)
                return with_bias(sums(std::forward<Input>(x)));
            else
                return transpose(with_bias(sums(transpose(std::forward<Input>(x)))));
        }
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", convolution_weight<kernel>(self.weight));
        if constexpr (Options.bias) visit("bias", self.bias);
    }

private:
    template <any_expression Sums>
    ASHLAR_ALWAYS_INLINE constexpr auto with_bias(Sums&& y) const noexcept {
        if constexpr (Options.bias)
            return std::forward<Sums>(y) + bias;
        else
            return ashlar::detail::hold(std::forward<Sums>(y));
    }

    /// [..., T, in] to [..., windows, out].
    template <any_expression Input>
    ASHLAR_ALWAYS_INLINE constexpr auto sums(Input&& x) const noexcept {
        constexpr std::size_t axis = shape_of<Input>::rank - 2;
        if constexpr (along.is_pointwise() && channels.groups == 1) {
            return matmul(std::forward<Input>(x), weight);
        } else if constexpr (channels.is_depthwise() && kernel <= detail::most_taps_of_a_sum) {
            // Multiply-adds of rows, one for each tap.
            constexpr std::size_t count = along.windows(shape_of<Input>::extents[axis]);
            return detail::read_by < kernel ==
                   1 > (detail::channels_repeated<channels>(
                            detail::padded<axis, along.padding, options.padding_mode>(std::forward<Input>(x))),
                        [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                            return detail::sum_of_taps<kernel>([&](auto tap) ASHLAR_LAMBDA_INLINE {
                                return detail::tap_of<axis, along, decltype(tap)::value, count>(y) *
                                       row(weight, decltype(tap)::value);
                            });
                        });
        } else if constexpr (channels.is_depthwise()) {
            return sum<-2>(windows<axis, kernel, along.stride, along.dilation>(detail::channels_repeated<channels>(
                               detail::padded<axis, along.padding, options.padding_mode>(std::forward<Input>(x)))) *
                           weight);
        } else {
            return detail::read_by<detail::names_once(along, channels.groups)>(
                detail::padded<axis, along.padding, options.padding_mode>(std::forward<Input>(x)),
                [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                    return detail::multiplied<channels, 1>(detail::taps_of<along, channels.groups, 1>(y), weight);
                });
        }
    }
};

}  // namespace ashlar::nn
