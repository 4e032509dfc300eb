// SPDX-License-Identifier: BSL-1.0
// encoder_layer: self attention and a feed-forward block, each with a residual and a norm.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/attention/attention_checks.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/cache/appended_rows.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>
#include <ashlar/nn/positions/rope.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `encoder_layer`, with the defaults of PyTorch's nn.TransformerEncoderLayer except for the width of
/// the feed-forward block, which is 4 * embed unless given, and for batch_first.
struct encoder_layer_options {
    width embed, heads = 1;
    width hidden = 0;  ///< 0: 4 * embed
    nn::activation activation = nn::activation::relu;
    bool norm_first = false;  ///< norms before attention and feed-forward block instead of after their residuals
    bool bias = true;
    double eps = 1e-5;
    bool batch_first = true;  ///< [batch, seq, embed] rather than [seq, batch, embed]
    // Not in PyTorch's layers:
    width head_width = 0;               ///< entries of a head; 0: embed / heads
    bool gated = false;                 ///< a gated feed-forward block; GeGLU with gelu_tanh in T5 1.1
    norm_kind norm = norm_kind::layer;  ///< rms: the root mean square alone, as in T5
    bool key_bias = true;               ///< bias of the projections of keys, if those of attention have any
    bool attention_bias = true;         ///< biases of all projections of attention, if bias is true as well
    bool feed_forward_bias = true;      ///< biases of the feed-forward block, if bias is true as well
    bool norm_bias = true;              ///< biases of the norms, if bias is true as well
    rope_options rope{};  ///< with `.positions`: queries and keys of the self attention are rotated (RoFormer, GPT-J)
    /// If given: each layer adds learnt numbers to the scores of its self attention, by distance.
    relative_positions_options relative_positions{.heads = 0};
};

namespace detail {

/// Whether rows and caches fit a layer.
template <class Rows, std::size_t Embed, std::size_t Heads, std::size_t Width, class... Caches>
struct decoded_rows {
    static consteval bool check() {
        if constexpr (Rows::rank == 2)
            return Rows::extents[1] == Embed &&
                   ((Caches::heads == Heads && Caches::key_width == Width && Caches::value_width == Width) && ...);
        else
            return false;
    }
    static constexpr bool fit = check();
};

/// The rows that a layer appends for x: their norm, if norms come first.
template <bool NormFirst, class Attention, class Norm, class Input, class Cache>
using rows_of_layer =
    appended_rows<Attention, std::conditional_t<NormFirst, Norm, no_norm>, Input, Cache, plain_projections>;

/// Appends the keys and values of rows x to a cache, now.
template <bool NormFirst, class Attention, class Norm, class Input, class Cache, class Scratch>
ASHLAR_ALWAYS_INLINE constexpr void append_rows(const Attention& attention, const Norm& norm, const Input& x,
                                                Cache& cache, Scratch& scratch) noexcept {
    using rows = rows_of_layer<NormFirst, Attention, Norm, Input, Cache>;
    if constexpr (NormFirst)
        rows::append(attention, norm, x, cache, plain_projections{}, scratch);
    else
        rows::append(attention, no_norm{}, x, cache, plain_projections{}, scratch);
}

/// Attention of the latest rows, whose keys and values are in the cache already.
template <class Attention, class Rows, class Cache, class... Choices>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attend_cache(const Attention& attention, const Rows& rows,
                                                               const Cache& cache, const Choices&... choices) noexcept {
    constexpr std::size_t count = shape_of<Rows>::extents[0];
    if constexpr (Attention::has_relative_positions) {
        return cache.attend(attention.queries(rows, cache.position() - count),
                            bias(attention.template position_bias<count, Cache::capacity>(cache.position() - count)),
                            choices...);
    } else {
        return cache.attend(attention.queries(rows, cache.position() - count), choices...);
    }
}

}  // namespace detail

/// A layer of a transformer's encoder, lazily: [..., T, embed] to the same shape, with at most two batch axes (one
/// without batch_first). Options of the call are those of `attention`, above all a mask. As PyTorch's
/// nn.TransformerEncoderLayer without dropout.
///
/// The whole layer is one expression: it projects K and V first, and then one loop over tiles of rows does the rest, up
/// to the second norm.
///
///     nn::encoder_layer<{.embed = 64, .heads = 4, .hidden = 256}> layer{};
///     y = layer(x, keys_below(length));
template <encoder_layer_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct encoder_layer {
    static constexpr encoder_layer_options options = Options;
    static constexpr std::size_t embed = Options.embed, hidden = detail::given_or(Options.hidden, 4 * embed);
    static constexpr attention_options self_attention_options{.embed = options.embed,
                                                              .heads = options.heads,
                                                              .head_width = options.head_width,
                                                              .bias = options.bias && options.attention_bias,
                                                              .batch_first = options.batch_first,
                                                              .key_bias = options.key_bias,
                                                              .rope = options.rope,
                                                              .relative_positions = options.relative_positions};
    static constexpr feed_forward_options block_options{.embed = embed,
                                                        .hidden = hidden,
                                                        .activation = options.activation,
                                                        .gated = options.gated,
                                                        .bias = options.bias && options.feed_forward_bias};
    using norm_type =
        detail::norm_of<Options.norm, {Options.embed, Options.eps, (Options.bias && Options.norm_bias)}, Element>;

    multihead_attention<self_attention_options, Element, Weight, Panel> self_attn;
    nn::feed_forward<block_options, Element, Weight, Panel> feed_forward;
    norm_type norm1, norm2;

    static constexpr std::size_t heads = Options.heads, head_width = decltype(self_attn)::head_width;

    /// The expression; it borrows the module.
    template <any_expression Input, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Choices&&... choices) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        static_assert(
            !detail::module_input<shape_of<Input>, embed>::fits || detail::input_rows<shape_of<Input>>::exist,
            "ashlar: nn: the input of layers must be rows [..., rows, embed]; unsqueeze<0> makes one of a vector");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits ||
                      !detail::input_rows<shape_of<Input>>::exist)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else if constexpr (!ashlar::detail::check_options<std::remove_cvref_t<Choices>...>())
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
                return blocks(y, [&](const auto& z) ASHLAR_LAMBDA_INLINE { return self_attn(z, choices...); });
            });
    }
    template <any_expression Input, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Choices&&... choices) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Choices>(choices)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

private:
    template <class Input, class Cache>
    using rows_of =
        detail::rows_of_layer<options.norm_first, multihead_attention<self_attention_options, Element, Weight, Panel>,
                              norm_type, Input, Cache>;

public:
    /// The causal layer of a language model (GPT-2) for the next rows [rows, embed] after those in the cache, a
    /// `kv_cache` of `heads` heads of `head_width`: appends their keys and values now, and returns the expression for
    /// them, [rows, embed]. x must be a tensor or view. The cache must have room (asserted). Options of the call have
    /// no mask.
    ///
    ///     y = layer.decode(row, cache);
    template <array_expression Input, class Cache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, Cache& cache,
                                                             const Choices&... choices) const& noexcept {
        using rows = std::remove_cvref_t<Input>;
        if constexpr (detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache>::fit)
            static_cast<void>(detail::check_appending<rows_of<rows, Cache>, const detail::stack_scratch>());
        return decode_with(x, cache, detail::on_stack, choices...);
    }
    /// The same, with scratch for appending in a workspace of at least append_workspace_bytes<Input, Cache>.
    template <array_expression Input, class Cache, std::size_t Bytes, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, Cache& cache, workspace<Bytes>& scratch,
                                                             const Choices&... choices) const& noexcept {
        using rows = std::remove_cvref_t<Input>;
        if constexpr (detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache>::fit)
            static_cast<void>(detail::check_appending<rows_of<rows, Cache>, workspace<Bytes>>());
        return decode_with(x, cache, scratch, choices...);
    }
    /// Bytes of scratch for appending rows Input.
    template <class Input, class Cache, class Config = current_config>
    static constexpr std::size_t append_workspace_bytes =
        rows_of<std::remove_cvref_t<Input>, std::remove_cvref_t<Cache>>::template bytes<Config>;
    /// The expressions that `decode` of an Input evaluates when it is called.
    template <class Input>
    using appended = typename detail::appended_of<multihead_attention<self_attention_options, Element, Weight, Panel>,
                                                  std::conditional_t<options.norm_first, norm_type, detail::no_norm>,
                                                  std::remove_cvref_t<Input>>::type;
    /// FLOPs of that.
    template <class Input>
    static constexpr std::size_t append_flops = detail::flops_of<appended<Input>>;

private:
    template <class Input, class Cache, class Scratch, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode_with(const Input& x, Cache& cache, Scratch& scratch,
                                                                  const Choices&... choices) const noexcept {
        constexpr bool fits = detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache>::fit;
        static_assert(
            detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache>::fit,
            "ashlar: encoder: decode needs rows [rows, embed] and a cache of the layer's heads and head width; change one");
        if constexpr (!fits) {
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        } else {
            if constexpr (detail::check_appending<rows_of<Input, Cache>, Scratch>())
                detail::append_rows<Options.norm_first>(self_attn, norm1, x, cache, scratch);
            return blocks(x, [&](const auto& z) ASHLAR_LAMBDA_INLINE {
                return self_attn.out_proj(merge_heads(detail::attend_cache(self_attn, z, cache, choices...)));
            });
        }
    }

public:
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("self_attn", self.self_attn);
        visit("", self.feed_forward);
        visit("norm1", self.norm1);
        visit("norm2", self.norm2);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const encoder_layer& self, const Input& x, Visitor&& visit) {
        visit("self_attn", self.self_attn, x);
        decltype(self.feed_forward)::parts(self.feed_forward, x, visit);
        visit("norm1", self.norm1, x);
        visit("norm2", self.norm2, x);
    }

private:
    /// Both blocks with their residuals and norms; `attend` is the attention.
    template <class Input, class Attend>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto blocks(const Input& x, const Attend& attend) const noexcept {
        if constexpr (Options.norm_first)
            return let(x + attend(norm1(x)),
                       [this](const auto& h) ASHLAR_LAMBDA_INLINE { return h + feed_forward(norm2(h)); });
        else
            return let(norm1(x + attend(x)),
                       [this](const auto& h) ASHLAR_LAMBDA_INLINE { return norm2(h + feed_forward(h)); });
    }
};

}  // namespace ashlar::nn
