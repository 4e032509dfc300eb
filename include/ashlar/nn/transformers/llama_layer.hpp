// SPDX-License-Identifier: BSL-1.0
// llama_layer: the layer of Llama and its relatives, with rotated queries and keys, grouped heads and a gated block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/cache/appended_rows.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/layers/weights.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `llama_layer`.
struct llama_layer_options {
    width embed, heads = 1;
    width kv_heads = 0;                                ///< heads of keys and values; 0: as many as of queries
    width head_width = 0;                              ///< 0: embed / heads
    width hidden = 0;                                  ///< of the gated block; 0: 4 * embed
    nn::activation activation = nn::activation::silu;  ///< silu: SwiGLU, gelu or gelu_tanh: GeGLU
    double eps = 1e-5;
    bool bias = false;  ///< biases of the projections of queries, keys and values (Qwen 2 has them)
};

/// Whether any of some options of `attention` is a mask.
///
///     static_assert(nn::has_mask<decltype(scale(0.5f)), decltype(causal)> && !nn::has_mask<decltype(scale(0.5f))>);
template <class... Choices>
inline constexpr bool has_mask =
    ashlar::detail::has_option<ashlar::detail::attention_option::mask, std::remove_cvref_t<Choices>...>;

/// A decoder layer as in Llama, Mistral or Qwen: h = x + attention(rms_norm(x)), h + gated(rms_norm(h)), with queries
/// and keys rotated by their positions. Members are named as in Hugging Face's LlamaDecoderLayer.
///
/// `turn` is a `rope`, or any function of heads [..., heads, T, head_width] and the position of their first row.
///
///     using block = nn::llama_layer<{.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}>;
///     constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 512}>;
///     y = layer(x, turn);                   // all rows at once, causal
///     y = layer.decode(row, turn, cache);   // the next rows, after those in a kv_cache
template <llama_layer_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct llama_layer {
    static constexpr llama_layer_options options = Options;
    static constexpr std::size_t embed = Options.embed, heads = Options.heads;
    static constexpr std::size_t hidden = detail::given_or(Options.hidden, 4 * embed);
    static constexpr attention_options self_attention_options{.embed = options.embed,
                                                              .heads = options.heads,
                                                              .kv_heads = options.kv_heads,
                                                              .head_width = options.head_width,
                                                              .bias = options.bias,
                                                              .out_bias = false,
                                                              .names = attention_names::llama};
    static constexpr feed_forward_options block_options{
        .embed = embed, .hidden = hidden, .activation = options.activation, .gated = true, .bias = false};
    static constexpr rms_norm_options norm_options{Options.embed, Options.eps};

    rms_norm<norm_options, Element> input_layernorm;
    multihead_attention<self_attention_options, Element, Weight, Panel> self_attn;
    rms_norm<norm_options, Element> post_attention_layernorm;
    feed_forward<block_options, Element, Weight, Panel> mlp;

    static constexpr std::size_t kv_heads = decltype(self_attn)::kv_heads, head_width = decltype(self_attn)::head_width;

    /// All rows at once, lazily: [..., T, embed] to the same shape, for positions 0, 1, .... Causal unless the options
    /// of the call, which are those of `attention`, have a mask.
    template <any_expression Input, class Turn, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, const Turn& turn,
                                                                 const Choices&... choices) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
                const auto norm = input_layernorm(y);
                const auto q = turn(self_attn.queries(norm), std::size_t{0});
                const auto k = turn(self_attn.keys(norm), std::size_t{0});
                if constexpr (has_mask<Choices...>)
                    return rest(y, ashlar::attention(q, k, self_attn.values(norm), choices...));
                else
                    return rest(y, ashlar::attention(q, k, self_attn.values(norm), causal, choices...));
            });
    }
    template <any_expression Input, class... Rest>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Rest&&... rest) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Rest>(rest)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

private:
    template <class Input, class Turn, class Cache>
    using rows_of =
        detail::appended_rows<multihead_attention<self_attention_options, Element, Weight, Panel>,
                              rms_norm<norm_options, Element>, std::remove_cvref_t<Input>, std::remove_cvref_t<Cache>,
                              detail::turned_projections<std::remove_cvref_t<Turn>>>;

public:
    /// The layer for the next rows [rows, embed] after those in the cache (a `kv_cache` of kv_heads and head_width):
    /// appends their keys and values now, and returns the expression for them, [rows, embed]. x must be a tensor or
    /// view. The cache must have room (asserted). `flops` and `workspace_bytes` of the expression do not include
    /// appending, which took `append_flops<Input, Turn>` and its own scratch on the stack.
    template <array_expression Input, class Turn, class Cache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, const Turn& turn, Cache& cache,
                                                             const Choices&... choices) const& noexcept {
        const std::size_t first = cache.position();
        if constexpr (detail::check_appending<rows_of<Input, Turn, Cache>, const detail::stack_scratch>())
            rows_of<Input, Turn, Cache>::append(self_attn, input_layernorm, x, cache, {turn}, detail::on_stack);
        return rest(x, cache.attend(turn(self_attn.queries(input_layernorm(x)), first), choices...));
    }
    /// The same, with scratch for appending in a workspace of at least append_workspace_bytes<Input, Turn, Cache>.
    template <array_expression Input, class Turn, class Cache, std::size_t Bytes, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, const Turn& turn, Cache& cache,
                                                             workspace<Bytes>& scratch,
                                                             const Choices&... choices) const& noexcept {
        const std::size_t first = cache.position();
        if constexpr (detail::check_appending<rows_of<Input, Turn, Cache>, workspace<Bytes>>())
            rows_of<Input, Turn, Cache>::append(self_attn, input_layernorm, x, cache, {turn}, scratch);
        return rest(x, cache.attend(turn(self_attn.queries(input_layernorm(x)), first), choices...));
    }
    /// Bytes of scratch for appending rows Input.
    template <class Input, class Turn, class Cache, class Config = current_config>
    static constexpr std::size_t append_workspace_bytes = rows_of<Input, Turn, Cache>::template bytes<Config>;

private:
    template <class Input>
    using normed = ashlar::detail::value_tensor<decltype(std::declval<const rms_norm<norm_options, Element>&>()(
        std::declval<const Input&>()))>;

public:
    /// The expressions that `decode` of an Input evaluates: the norm, and keys and values of its result.
    template <class Input, class Turn>
    using appended = ashlar::detail::expression_list<
        decltype(std::declval<const decltype(input_layernorm)&>()(std::declval<const Input&>())),
        decltype(std::declval<const Turn&>()(
            std::declval<const decltype(self_attn)&>().keys(std::declval<const normed<Input>&>()), std::size_t{})),
        decltype(std::declval<const decltype(self_attn)&>().values(std::declval<const normed<Input>&>()))>;
    /// FLOPs of that.
    ///
    ///     constexpr std::size_t all = flops<decltype(layer.decode(row, turn, cache))> +
    ///     block::append_flops<decltype(row), decltype(turn)>;
    template <class Input, class Turn>
    static constexpr std::size_t append_flops =
        detail::flops_of<appended<std::remove_cvref_t<Input>, std::remove_cvref_t<Turn>>>;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("input_layernorm", self.input_layernorm);
        visit("self_attn", self.self_attn);
        visit("post_attention_layernorm", self.post_attention_layernorm);
        visit("mlp", self.mlp);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const llama_layer& self, const Input& x, Visitor&& visit) {
        visit("input_layernorm", self.input_layernorm, x);
        visit("self_attn", self.self_attn, x);
        visit("post_attention_layernorm", self.post_attention_layernorm, x);
        visit("mlp", self.mlp, x);
    }
    /// For summaries: the call with an input, without the rotation.
    template <class Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_with(const Input& x) const noexcept {
        return (*this)(x, detail::no_turn{});
    }

private:
    /// Everything after the attention of the heads.
    template <class Input, class Mixed>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rest(const Input& x, const Mixed& mixed) const noexcept {
        return let(x + self_attn.out_proj(merge_heads(mixed)),
                   [this](const auto& h) ASHLAR_LAMBDA_INLINE { return h + mlp(post_attention_layernorm(h)); });
    }
};

/// The old name of `llama_layer_options`.
/// Example: `llama_layer`.
using decoder_block_options [[deprecated("use ashlar::nn::llama_layer_options")]] = llama_layer_options;
/// The old name of `llama_layer`.
/// Example: `llama_layer`.
template <llama_layer_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
using decoder_block [[deprecated("use ashlar::nn::llama_layer")]] = llama_layer<Options, Element, Weight, Panel>;

}  // namespace ashlar::nn
