// SPDX-License-Identifier: BSL-1.0
// batch_norm for inference, and fold, which merges it into the layer before it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/channels.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `batch_norm`, those of PyTorch's nn.BatchNorm1d and nn.BatchNorm2d. Without `batch` inputs have no
/// batch axis before their channels; with `channels_last` these are the last axis.
struct batch_norm_options {
    width channels;
    double eps = 1e-5;
    bool affine = true;
    bool batch = true;
    bool channels_last = false;
};

/// (x - running_mean) / sqrt(running_var + eps) * weight + bias, channel by channel (Ioffe and Szegedy 2015), lazily:
/// x's shape. Channels are axis 1, as in PyTorch's nn.BatchNorm1d and nn.BatchNorm2d in evaluation. After a linear
/// layer or a convolution it costs nothing if `fold` merges it into that layer. Weight files also have
/// `num_batches_tracked`, which is neither loaded nor unexpected.
///
///     nn::batch_norm<{.channels = 80}> norm{};   // io::load, or by hand
///     tensor<float, 2, 80, 50> y = norm(mel);    // mel: tensor<float, 2, 80, 50>
template <batch_norm_options Options, class Element = float>
struct batch_norm {
    static constexpr batch_norm_options options = Options;
    static constexpr auto initialization = detail::initialization::channel_norm;
    static constexpr std::size_t channels = Options.channels;

    [[no_unique_address]] detail::optional_vector<Options.affine, Element, channels> weight;
    [[no_unique_address]] detail::optional_vector<Options.affine, Element, channels> bias;
    basic_tensor<Element, channels> running_mean, running_var;

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
        } else {
            const auto of = [](const auto& v) ASHLAR_LAMBDA_INLINE {
                return detail::broadcast_to_channels<from, place::position>(v);
            };
            auto y =
                (std::forward<Input>(x) - of(running_mean)) / sqrt(of(running_var) + static_cast<Element>(options.eps));
            if constexpr (Options.affine)
                return std::move(y) * of(weight) + of(bias);
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

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        if constexpr (Options.affine) {
            visit("weight", self.weight);
            visit("bias", self.bias);
        }
        visit("running_mean", self.running_mean);
        visit("running_var", self.running_var);
    }
};

namespace detail {

/// Options as a type, to compare them.
template <auto Options>
struct these_options {};
/// Options of a layer with the bias of another's.
template <auto Options, auto Other>
consteval auto with_bias_of() {
    auto options = Options;
    options.bias = Other.bias;
    return options;
}

/// Whether a module can include the norm that follows it: a matrix [..., channels] and a bias, everything else equal.
template <class To, class From, class Norm>
struct folded_modules {
    static constexpr bool agree =
        To::out == Norm::channels && From::out == Norm::channels &&
        std::is_same_v<decltype(To::weight), decltype(From::weight)> && To::options.bias &&
        !ashlar::detail::is_quantized<decltype(To::weight)> &&
        std::is_same_v<these_options<with_bias_of<To::options, From::options>()>, these_options<From::options>>;
};

}  // namespace detail

/// Folds the norm after the linear layer or convolution `from` into it and writes the result to `to`: to(x) is then
/// norm(from(x)). `to` has a bias, `from` may have none. They may be the same object; all else about them is equal.
///
///     nn::conv1d<{.in = 80, .out = 80, .kernel = 3, .padding = 1}> folded{};
///     nn::fold(folded, conv, norm);   // conv: the same without a bias, norm: nn::batch_norm<{.channels = 80}>
template <class To, class From, batch_norm_options Options, class Element, class Config = current_config>
constexpr void fold(To& to, const From& from, const batch_norm<Options, Element>& norm) noexcept {
    using norm_type = batch_norm<Options, Element>;
    static_assert(
        detail::folded_modules<To, From, norm_type>::agree,
        "ashlar: nn: fold takes two linear layers or convolutions that differ in their bias at most, the first "
        "with one, and the batch_norm of their channels");
    if constexpr (detail::folded_modules<To, From, norm_type>::agree) {
        constexpr std::size_t rows = shape_of<decltype(To::weight)>::extents[0];
        for (std::size_t c = 0; c < norm_type::channels; ++c) {
            double scale = 1 / ashlar::sqrt(static_cast<double>(norm.running_var.elements[c]) + norm_type::options.eps);
            double shift = -static_cast<double>(norm.running_mean.elements[c]);
            if constexpr (Options.affine) scale *= static_cast<double>(norm.weight.elements[c]);
            if constexpr (From::options.bias) shift += static_cast<double>(from.bias.elements[c]);
            shift *= scale;
            if constexpr (Options.affine) shift += static_cast<double>(norm.bias.elements[c]);
            to.bias.elements[c] = static_cast<Element>(shift);
            for (std::size_t r = 0; r < rows; ++r)
                detail::matrix_element(to.weight, r, c) =
                    static_cast<std::remove_cvref_t<decltype(detail::matrix_element(to.weight, r, c))>>(
                        static_cast<Element>(static_cast<double>(detail::matrix_element(from.weight, r, c)) * scale));
        }
    }
}

}  // namespace ashlar::nn
