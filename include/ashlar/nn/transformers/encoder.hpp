// SPDX-License-Identifier: BSL-1.0
// encoder: a stack of encoder layers.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/attention/attention_checks.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>
#include <ashlar/nn/transformers/layer_stack.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `encoder`: those of a layer, how many there are, and whether a norm follows the last one.
struct encoder_options {
    encoder_layer_options layer;
    width embed = 0, heads = 0, hidden = 0;  ///< belong in .layer: given here they are an error
    std::size_t layers = 1;
    bool final_norm = false;
};

/// A transformer's encoder: [..., T, embed] to the same shape. Options of the call are those of `attention` and hold
/// for every layer. As PyTorch's nn.TransformerEncoder. One plan evaluates the layers one after the other, so code and
/// scratch are those of one layer, plus memory for one [..., T, embed]. If a call is an operand of another expression,
/// it is evaluated when that is built.
///
///     nn::encoder<{.layer = {.embed = 64, .heads = 4}, .layers = 6}> encoder{};
///     tensor<float, 32, 64> y = encoder(x, keys_below(length));
template <encoder_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct encoder {
    static_assert(
        detail::options_of_layers<Options.embed, Options.heads, Options.hidden>::stand_in_layer,
        "ashlar: nn: embed, heads and hidden are options of each layer; write {.layer = {.embed = 64, .heads = 4}, .layers = 6}");
    static constexpr encoder_options options = Options;
    using layer_type = encoder_layer<detail::intended_layer(Options, Options.layer), Element, Weight, Panel>;
    static constexpr std::size_t embed = layer_type::embed, layer_count = Options.layers;

    std::array<layer_type, layer_count> layers;
    [[no_unique_address]] std::conditional_t<options.final_norm, typename layer_type::norm_type, no_array> norm;

    /// The call; it borrows the module.
    template <any_expression Input, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, const Choices&... choices) const& noexcept {
        // Checked here and not in the layers, whose plans would each add an error.
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        static_assert(
            !detail::module_input<shape_of<Input>, embed>::fits || detail::input_rows<shape_of<Input>>::exist,
            "ashlar: nn: the input of layers must be rows [..., rows, embed]; unsqueeze<0> makes one of a vector");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits ||
                      !detail::input_rows<shape_of<Input>>::exist)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else if constexpr (!ashlar::detail::check_options<Choices...>())
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::call_layers(*this, std::forward<Input>(x),
                                       [choices...](const auto& layer, const auto& y, std::size_t)
                                           ASHLAR_LAMBDA_INLINE { return layer(y, choices...); });
    }
    template <any_expression Input, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Choices&&... choices) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Choices>(choices)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    /// The call as a language model (GPT-2) for the next rows [rows, embed], with one cache for each layer (see
    /// encoder_layer::decode). Each evaluation appends to the caches; `flops` and `workspace_bytes` of the call include
    /// that.
    ///
    ///     static std::array<nn::kv_cache<float, 1024, 12, 64>, 12> caches;
    ///     y = blocks.decode(row, caches);
    template <any_expression Input, class Cache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, std::array<Cache, layer_count>& caches,
                                                             const Choices&... choices) const& noexcept {
        constexpr bool fits =
            detail::decoded_rows<shape_of<Input>, embed, layer_type::heads, layer_type::head_width, Cache>::fit;
        static_assert(
            detail::decoded_rows<shape_of<Input>, embed, layer_type::heads, layer_type::head_width, Cache>::fit,
            "ashlar: encoder: decode needs rows [rows, embed] and a cache of the layer's heads and head width; change one");
        if constexpr (!fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::decode_layers<detail::appended_to<Cache>>(
                *this, std::forward<Input>(x),
                [c = &caches, choices...](const auto& layer, const auto& y, std::size_t i, auto& scratch)
                    ASHLAR_LAMBDA_INLINE { return layer.decode(y, (*c)[i], scratch, choices...); },
                caches);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        detail::members_of_stack(self, visit);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const encoder& self, const Input& x, Visitor&& visit) {
        detail::parts_of_stack(self, x, visit);
    }
};

}  // namespace ashlar::nn
