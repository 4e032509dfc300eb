// SPDX-License-Identifier: BSL-1.0
// Norms with learnt factors: layer_norm and rms_norm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `layer_norm`: the extent of the last axis, the number added to the variance, and whether there is a
/// bias.
struct layer_norm_options {
    width size;
    double eps = 1e-5;
    bool bias = true;
};

/// (x - mean) / sqrt(variance + eps) * weight + bias along the last axis, with the biased variance: [..., size] to
/// [..., size], lazily. PyTorch's nn.LayerNorm over one axis. 2 * size parameters.
///
///     nn::layer_norm<{.size = 64}> norm{.weight = full<float, 64>(1), .bias = {}};
///     x = norm(x);
template <layer_norm_options Options, class Element = float>
struct layer_norm {
    static constexpr layer_norm_options options = Options;
    static constexpr auto initialization = detail::initialization::norm;
    static constexpr std::size_t size = Options.size;

    basic_tensor<Element, size> weight;
    [[no_unique_address]] detail::optional_vector<Options.bias, Element, size> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, size>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, size>::fits)
            return detail::refused_rows<shape_of<Input>, size, element_of<Input>>();
        else if constexpr (Options.bias)
            return ashlar::layer_norm(std::forward<Input>(x), weight, bias, options.eps);
        else
            return ashlar::layer_norm(std::forward<Input>(x), options.eps) * weight;
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
        if constexpr (Options.bias) visit("bias", self.bias);
    }
};

/// The options of `rms_norm`: the extent of the last axis, and the number added to the mean square.
struct rms_norm_options {
    width size;
    double eps = 1e-5;
};

/// x / sqrt(mean(x * x) + eps) * weight along the last axis: [..., size] to [..., size], lazily (Zhang and Sennrich
/// 2019). `size` parameters.
///
///     nn::rms_norm<{.size = 64, .eps = 1e-6}> norm{.weight = full<float, 64>(1)};
template <rms_norm_options Options, class Element = float>
struct rms_norm {
    static constexpr rms_norm_options options = Options;
    static constexpr auto initialization = detail::initialization::norm;
    static constexpr std::size_t size = Options.size;

    basic_tensor<Element, size> weight;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, size>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, size>::fits)
            return detail::refused_rows<shape_of<Input>, size, element_of<Input>>();
        else
            return ashlar::rms_norm(std::forward<Input>(x), weight, options.eps);
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
};

/// Which norm a layer has.
enum class norm_kind : std::uint8_t { layer, rms };

namespace detail {

/// The norm of a layer: `layer_norm`, or `rms_norm`, which has no bias.
template <norm_kind Kind, layer_norm_options Options, class Element>
struct chosen_norm {
    using type = layer_norm<Options, Element>;
};
template <layer_norm_options Options, class Element>
struct chosen_norm<norm_kind::rms, Options, Element> {
    using type = rms_norm<{Options.size, Options.eps}, Element>;
};
template <norm_kind Kind, layer_norm_options Options, class Element>
using norm_of = typename chosen_norm<Kind, Options, Element>::type;

}  // namespace detail
}  // namespace ashlar::nn
