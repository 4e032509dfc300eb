// SPDX-License-Identifier: BSL-1.0
// llama_decoder: a stack of Llama layers and the norm after them.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/transformers/layer_stack.hpp>
#include <ashlar/nn/transformers/llama_layer.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// The rotated keys and the values that `decode` of layers appends.
template <class Turn, class Cache>
struct turned_and_appended_to {
    template <class Layer, class Input, class Config>
    static constexpr std::size_t bytes = Layer::template append_workspace_bytes<Input, Turn, Cache, Config>;
    template <class Layer, class Input>
    using expressions = typename Layer::template appended<Input, Turn>;
};

}  // namespace detail

/// The options of `llama_decoder`: those of a layer, and the number of layers.
struct llama_decoder_options {
    llama_layer_options block;
    width embed = 0, heads = 0, hidden = 0;  ///< belong in .block: given here they are an error
    std::size_t layers = 1;
};

/// The layers of a language model and its last norm: [..., T, embed] to the same shape, evaluated layer by layer as
/// `encoder` is. Members are named as in Hugging Face's LlamaModel, without its embedding.
///
///     nn::llama_decoder<{.block = {.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}, .layers = 5}> stack{};
///     y = stack(x, turn);
///     y = stack.decode(x, turn, caches);   // caches: std::array<nn::kv_cache<float, 512, 4, 8>, 5>
template <llama_decoder_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct llama_decoder {
    static_assert(
        detail::options_of_layers<Options.embed, Options.heads, Options.hidden>::stand_in_layer,
        "ashlar: nn: embed, heads and hidden are options of each layer; write {.block = {.embed = 64, .heads = 4}, .layers = 6}");
    static constexpr llama_decoder_options options = Options;
    using layer_type = llama_layer<detail::intended_layer(Options, Options.block), Element, Weight, Panel>;
    static constexpr std::size_t embed = layer_type::embed, layer_count = Options.layers;

    std::array<layer_type, layer_count> layers;
    rms_norm<layer_type::norm_options, Element> norm;

    /// The call for all rows at once; it borrows the module and `turn`.
    template <any_expression Input, class Turn, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, const Turn& turn,
                                                                 const Choices&... choices) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        static_assert(
            !detail::module_input<shape_of<Input>, embed>::fits || detail::input_rows<shape_of<Input>>::exist,
            "ashlar: nn: the input of layers must be rows [..., rows, embed]; unsqueeze<0> makes one of a vector");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits ||
                      !detail::input_rows<shape_of<Input>>::exist)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::call_layers(*this, std::forward<Input>(x),
                                       [t = &turn, choices...](const auto& layer, const auto& y, std::size_t)
                                           ASHLAR_LAMBDA_INLINE { return layer(y, *t, choices...); });
    }
    template <any_expression Input, class... Rest>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Rest&&... rest) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Rest>(rest)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;
    /// The call for the next rows [rows, embed], with one cache for each layer. Each evaluation appends to the caches;
    /// `flops` and `workspace_bytes` of the call include that.
    template <any_expression Input, class Turn, class Cache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, const Turn& turn,
                                                             std::array<Cache, layer_count>& caches,
                                                             const Choices&... choices) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::decode_layers<detail::turned_and_appended_to<Turn, Cache>>(
                *this, std::forward<Input>(x),
                [t = &turn, c = &caches, choices...](const auto& layer, const auto& y, std::size_t i, auto& scratch)
                    ASHLAR_LAMBDA_INLINE { return layer.decode(y, *t, (*c)[i], scratch, choices...); },
                caches);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        detail::members_of_stack(self, visit);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const llama_decoder& self, const Input& x, Visitor&& visit) {
        detail::parts_of_stack(self, x, visit);
    }
    /// For summaries: the call with an input, without the rotation.
    template <class Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_with(const Input& x) const noexcept {
        return (*this)(x, detail::no_turn{});
    }
};

/// The old name of `llama_decoder_options`.
/// Example: `llama_decoder`.
using decoder_stack_options [[deprecated("use ashlar::nn::llama_decoder_options")]] = llama_decoder_options;
/// The old name of `llama_decoder`.
/// Example: `llama_decoder`.
template <llama_decoder_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
using decoder_stack [[deprecated("use ashlar::nn::llama_decoder")]] = llama_decoder<Options, Element, Weight, Panel>;

}  // namespace ashlar::nn
