// SPDX-License-Identifier: BSL-1.0
// decoder: a stack of decoder layers over one memory.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/transformers/decoder_layer.hpp>
#include <ashlar/nn/transformers/layer_stack.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `decoder`: those of a layer, how many there are, and whether a norm follows the last one.
struct decoder_options {
    decoder_layer_options layer;
    width embed = 0, heads = 0, hidden = 0;  ///< belong in .layer: given here they are an error
    std::size_t layers = 1;
    bool final_norm = false;
};

namespace detail {

/// The memory that every layer reads: an array in place, anything else evaluated once.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto held_values(Expression&& e) noexcept {
    if constexpr (array_expression<Expression>)
        return ashlar::detail::hold(std::forward<Expression>(e));
    else
        return ashlar::eval(e);
}

/// The call of a layer with values of a memory. `evaluated` is the memory's expression, for `stack_bytes`.
template <class Memory, class Call>
struct call_with_memory : Call {
    using evaluated = Memory;
};

}  // namespace detail

/// A transformer's decoder: x [..., T, embed] and memory [..., S, embed] to [..., T, embed]. Options of the call are
/// those of `decoder_layer` and hold for every layer. As PyTorch's nn.TransformerDecoder. Evaluated layer by layer, as
/// `encoder` is. If the memory is not an array, it is evaluated when the call is built.
///
///     nn::decoder<{.layer = {.embed = 64, .heads = 4}, .layers = 6}> decoder{};
///     tensor<float, 16, 64> y = decoder(x, memory, causal);
template <decoder_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct decoder {
    static_assert(
        detail::options_of_layers<Options.embed, Options.heads, Options.hidden>::stand_in_layer,
        "ashlar: nn: embed, heads and hidden are options of each layer; write {.layer = {.embed = 64, .heads = 4}, .layers = 6}");
    static constexpr decoder_options options = Options;
    using layer_type = decoder_layer<detail::intended_layer(Options, Options.layer), Element, Weight, Panel>;
    static constexpr std::size_t embed = layer_type::embed, layer_count = Options.layers;

    std::array<layer_type, layer_count> layers;
    [[no_unique_address]] std::conditional_t<options.final_norm, typename layer_type::norm_type, no_array> norm;

    /// The call; it borrows the module.
    template <any_expression Input, any_expression Memory, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Memory&& memory,
                                                                 const Choices&... choices) const& noexcept {
        // Checked here and not in the layers, whose plans would each add an error.
        constexpr bool fits =
            detail::module_input<shape_of<Input>, embed>::fits && detail::module_input<shape_of<Memory>, embed>::fits;
        static_assert(detail::module_input<shape_of<Input>, embed>::fits &&
                          detail::module_input<shape_of<Memory>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!fits) {
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        } else {
            const auto call = [m = detail::held_values(std::forward<Memory>(memory)),
                               choices...](const auto& layer, const auto& y, std::size_t)
                                  ASHLAR_LAMBDA_INLINE { return layer(y, m, choices...); };
            return detail::call_layers(
                *this, std::forward<Input>(x),
                detail::call_with_memory<std::remove_cvref_t<Memory>, std::remove_const_t<decltype(call)>>{call});
        }
    }
    template <any_expression Input, class... Rest>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Rest&&... rest) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Rest>(rest)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    /// Writes keys and values of a memory [S, embed] to one cache for each layer; `decode` reads those of the first
    /// `count` rows. If the memory is not an array, it is evaluated once. Scratch is on the stack or in a workspace of
    /// at least remember_workspace_bytes<Memory, Cache>.
    ///
    ///     static workspace<decltype(decoder)::remember_workspace_bytes<decltype(memory), cache_type>> scratch;
    ///     decoder.remember(memory, memories, length, scratch);
    template <any_expression Memory, class Cache>
    constexpr void remember(const Memory& memory, std::array<Cache, layer_count>& caches,
                            std::size_t count = shape_of<Memory>::extents[0]) const noexcept {
        constexpr bool fits =
            detail::held_on_stack<detail::held_bytes<Memory>, detail::scratch_of_held<Memory, current_config>(),
                                  current_config::stack_budget>::fits;
        static_assert(
            detail::held_on_stack<detail::held_bytes<Memory>, detail::scratch_of_held<Memory, current_config>(),
                                  current_config::stack_budget>::fits,
            "ashlar: decoder: the memory, or its scratch, exceeds ASHLAR_STACK_BUDGET; evaluate it into a tensor, or pass a workspace of remember_workspace_bytes<Memory, Cache>");
        if constexpr (fits)
            detail::stack_scratch{}.with_values<current_config>(memory,
                                                                [&](const auto& m, const auto&) ASHLAR_LAMBDA_INLINE {
                                                                    for (std::size_t i = 0; i < layer_count; ++i)
                                                                        layers[i].remember(m, caches[i], count);
                                                                });
    }
    template <any_expression Memory, class Cache, std::size_t Bytes>
    constexpr void remember(const Memory& memory, std::array<Cache, layer_count>& caches, std::size_t count,
                            workspace<Bytes>& scratch) const noexcept {
        constexpr bool suffices =
            ashlar::detail::workspace_size<Bytes, remember_workspace_bytes<Memory, Cache>>::suffices;
        static_assert(ashlar::detail::workspace_size<Bytes, remember_workspace_bytes<Memory, Cache>>::suffices,
                      "ashlar: decoder: the workspace is too small; it needs remember_workspace_bytes<Memory, Cache>");
        if constexpr (suffices)
            detail::workspace_scratch{scratch.bytes}.with_values<current_config>(
                memory, [&](const auto& m, const auto& rest) ASHLAR_LAMBDA_INLINE {
                    rest.template with_workspace<layer_type::template remember_workspace_bytes<decltype(m), Cache>>(
                        [&](auto& own) ASHLAR_LAMBDA_INLINE {
                            for (std::size_t i = 0; i < layer_count; ++i) layers[i].remember(m, caches[i], count, own);
                        });
                });
    }
    template <any_expression Memory, class Cache, std::size_t Bytes>
    constexpr void remember(const Memory& memory, std::array<Cache, layer_count>& caches,
                            workspace<Bytes>& scratch) const noexcept {
        remember(memory, caches, shape_of<Memory>::extents[0], scratch);
    }
    /// Bytes of scratch that `remember` of a memory needs.
    template <class Memory, class Cache, class Config = current_config>
    static constexpr std::size_t remember_workspace_bytes = [] {
        using given = std::remove_cvref_t<Memory>;
        constexpr std::size_t memory = detail::scratch_of_held<given, Config>();
        constexpr std::size_t layer =
            layer_type::template remember_workspace_bytes<detail::held_view<given>, Cache, Config>;
        return detail::held_bytes<given> + (memory > layer ? memory : layer);
    }();
    /// The call for the next rows [rows, embed], with two caches for each layer (see decoder_layer::decode): for the
    /// rows so far, and for the memory. Each evaluation appends to the former; `flops` and `workspace_bytes` of the
    /// call include that.
    ///
    ///     static std::array<nn::kv_cache<float, 128, 4, 16>, 6> caches, memories;
    ///     decoder.remember(encoder(source), memories);
    ///     y = decoder.decode(row, caches, memories);
    template <any_expression Input, class Cache, class MemoryCache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, std::array<Cache, layer_count>& caches,
                                                             const std::array<MemoryCache, layer_count>& memories,
                                                             const Choices&... choices) const& noexcept {
        constexpr bool fits = detail::decoded_rows<shape_of<Input>, embed, layer_type::heads, layer_type::head_width,
                                                   Cache, MemoryCache>::fit;
        static_assert(
            detail::decoded_rows<shape_of<Input>, embed, layer_type::heads, layer_type::head_width, Cache,
                                 MemoryCache>::fit,
            "ashlar: decoder: decode needs rows [rows, embed] and caches of the layer's heads and head width; change one");
        if constexpr (!fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::decode_layers<detail::appended_to<Cache>>(
                *this, std::forward<Input>(x),
                [c = &caches, m = &memories, choices...](const auto& layer, const auto& y, std::size_t i, auto& scratch)
                    ASHLAR_LAMBDA_INLINE { return layer.decode(y, (*c)[i], (*m)[i], scratch, choices...); },
                caches, memories);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        detail::members_of_stack(self, visit);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const decoder& self, const Input& x, Visitor&& visit) {
        detail::parts_of_stack(self, x, visit);
    }
    /// For summaries: the call with an input if it has further arguments.
    template <class Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_with(const Input& x) const noexcept {
        return (*this)(x, x);
    }
};

}  // namespace ashlar::nn
