// SPDX-License-Identifier: BSL-1.0
// multihead_attention: learnt projections around multi-head attention.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/nn/positions/relative_bias.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>
#include <ashlar/nn/positions/rope.hpp>

namespace ashlar::inline v0_1::nn {

/// The names of an attention module's arrays in weight files.
enum class attention_names : std::uint8_t {
    torch,  ///< in_proj_weight, or {q,k,v}_proj_weight if the widths differ; in_proj_bias, out_proj.*
    llama   ///< q_proj.*, k_proj.*, v_proj.*, o_proj.*, as in Hugging Face's models
};

/// The options of `multihead_attention`. A 0 takes its default from the others: as many key heads as query heads,
/// head_width embed / heads, key and value inputs of width embed.
struct attention_options {
    width embed, heads = 1;
    width kv_heads = 0;    ///< heads of keys and values; heads must be a multiple (grouped and multi-query attention)
    width head_width = 0;  ///< entries of one head of queries, keys and values
    width kdim = 0, vdim = 0;  ///< widths of the key and value inputs
    bool bias = true;          ///< biases of the projections of queries, keys and values
    bool out_bias = true;      ///< bias of the output projection, if bias is true as well
    bool batch_first = true;   ///< [batch, seq, embed] rather than [seq, batch, embed]
    attention_names names = attention_names::torch;
    bool key_bias = true;  ///< bias of the projection of keys, if bias is true as well (Whisper has none)
    width out = 0;         ///< width of the result, if not embed
    rope_options rope{};   ///< with `.positions`: queries and keys are rotated by their positions, the first of them 0
    /// If given: adds learnt numbers to the scores, by the distance between query and key. Heads are the module's.
    relative_positions_options relative_positions{.heads = 0};
};

namespace detail {

/// Whether the query heads split into equal groups, one for each key head.
template <std::size_t Heads, std::size_t KvHeads>
struct head_groups {
    static constexpr bool divide = Heads % KvHeads == 0;
};

/// Whether heads divides embed.
template <std::size_t Embed, std::size_t Heads>
struct head_widths {
    static constexpr bool divide = Embed % Heads == 0;
};

/// The options of the rotation for queries and keys of this width.
consteval rope_options rope_of_width(rope_options options, std::size_t width) {
    options.head_width = width;
    return options;
}
/// The options of relative positions for this many heads.
consteval relative_positions_options positions_of_heads(relative_positions_options options, std::size_t heads) {
    options.heads = heads;
    return options;
}

/// The member of an attention without relative positions.
struct no_relative_positions {};

/// The table of an attention, if it has one.
template <bool Given, relative_positions_options Options, class Element>
struct own_positions {
    using type = no_relative_positions;
};
template <relative_positions_options Options, class Element>
struct own_positions<true, Options, Element> {
    using type = relative_positions<Options, Element>;
};

/// Whether queries, keys and values have the widths that an attention module needs.
template <class Query, class Key, class Value, std::size_t Embed, std::size_t Kdim, std::size_t Vdim>
struct attention_inputs {
    static constexpr bool fit = Query::rank >= 2 && Key::rank >= 2 && Value::rank >= 2 &&
                                module_input<Query, Embed>::fits && module_input<Key, Kdim>::fits &&
                                module_input<Value, Vdim>::fits;
};

/// Whether the arguments after the first operand are only options, or two more operands and then options.
template <class... Rest>
struct attention_call {
    static constexpr bool fits = (!any_expression<Rest> && ...);
};
template <class Key, class Value, class... Rest>
struct attention_call<Key, Value, Rest...> {
    static constexpr bool fits = any_expression<Key> == any_expression<Value> && (!any_expression<Rest> && ...);
};

/// [seq, batch, ...] as [batch, seq, ...], and back; unchanged without a batch.
template <bool BatchFirst, any_expression Input>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto batch_exchanged(Input&& x) noexcept {
    if constexpr (BatchFirst || shape_of<Input>::rank < 3)
        return ashlar::detail::itself(std::forward<Input>(x));
    else
        return permute<1, 0, 2>(std::forward<Input>(x));
}

}  // namespace detail

/// Multi-head attention (Vaswani et al. 2017), lazily: queries [..., Tq, embed], keys [..., Tk, kdim] and values [...,
/// Tk, vdim] to [..., Tq, out], with at most two batch axes (one without batch_first). It takes every option of
/// `attention` with the same polarity: masks keep. The scores are [..., heads, Tq, Tk], so a bool mask per sequence
/// needs an axis for the heads: keep(unsqueeze<1>(m)). PyTorch's nn.MultiheadAttention. It projects keys and values
/// once for all queries. The rest is one loop over tiles of queries, so scratch holds the scores of one tile only.
///
///     nn::multihead_attention<{.embed = 64, .heads = 4}> mha{};
///     y = mha(x, causal);                          // self attention
///     y = mha(x, memory, memory, keys_below(n));   // cross attention
template <attention_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct multihead_attention {
    static constexpr attention_options options = Options;
    static constexpr auto initialization = options.names == attention_names::torch ? detail::initialization::attention
                                                                                   : detail::initialization::of_members;
    static constexpr std::size_t embed = Options.embed, heads = Options.heads;
    static constexpr std::size_t kv_heads = detail::given_or(Options.kv_heads, heads);
    static constexpr std::size_t head_width = detail::given_or(Options.head_width, embed / heads);
    static constexpr std::size_t kdim = detail::given_or(Options.kdim, embed);
    static constexpr std::size_t vdim = detail::given_or(Options.vdim, embed);
    static constexpr std::size_t out = detail::given_or(Options.out, embed);
    static constexpr bool has_rope = Options.rope.positions.value != 0;
    static constexpr bool has_relative_positions = Options.relative_positions.heads.value != 0;
    static_assert(Options.head_width.value != 0 || detail::head_widths<embed, heads>::divide,
                  "ashlar: multihead_attention: embed must be a multiple of heads; or give head_width");
    static_assert(detail::head_groups<heads, kv_heads>::divide,
                  "ashlar: multihead_attention: heads must be a multiple of kv_heads; change one");

    linear<{embed, (heads * head_width), Options.bias}, Element, Weight, Panel> query;
    linear<{kdim, (kv_heads * head_width), (Options.bias && Options.key_bias)}, Element, Weight, Panel> key;
    linear<{vdim, (kv_heads * head_width), Options.bias}, Element, Weight, Panel> value;
    linear<{heads * head_width, out, (Options.bias && Options.out_bias)}, Element, Weight, Panel> out_proj;
    [[no_unique_address]]
    typename detail::own_positions<has_relative_positions,
                                   detail::positions_of_heads(options.relative_positions, heads), Element>::type
        relative_attention_bias;

    /// Self attention: queries, keys and values from x.
    template <any_expression Input, class... Choices>
        requires(!any_expression<Choices> && ...)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Choices&&... choices) const& noexcept {
        static_assert(
            detail::module_input<shape_of<Input>, embed>::fits && kdim == embed && vdim == embed,
            "ashlar: multihead_attention: self attention needs an input, keys and values of width embed; pass queries, keys and values");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits || kdim != embed || vdim != embed)
            return detail::refused_rows<shape_of<Input>, out, element_of<Input>>();
        else
            return detail::used_often(std::forward<Input>(x),
                                      [&](const auto& y) ASHLAR_LAMBDA_INLINE { return (*this)(y, y, y, choices...); });
    }
    /// Cross attention: queries from q, keys from k, values from v.
    template <any_expression Query, any_expression Key, any_expression Value, class... Choices>
        requires(!any_expression<Choices> && ...)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Query&& q, Key&& k, Value&& v,
                                                                 Choices&&... choices) const& noexcept {
        constexpr bool fits =
            detail::attention_inputs<shape_of<Query>, shape_of<Key>, shape_of<Value>, embed, kdim, vdim>::fit;
        static_assert(
            detail::attention_inputs<shape_of<Query>, shape_of<Key>, shape_of<Value>, embed, kdim, vdim>::fit,
            "ashlar: multihead_attention: queries, keys and values must be [..., rows, width] with the widths embed, kdim and vdim; change the options");
        if constexpr (!fits)
            return detail::refused_rows<shape_of<Query>, out, element_of<Query>>();
        else if constexpr (has_relative_positions)
            return detail::batch_exchanged<Options.batch_first>(out_proj(merge_heads(ashlar::attention(
                queries(std::forward<Query>(q)), keys(std::forward<Key>(k)), values(std::forward<Value>(v)),
                bias(position_bias<rows_of<Query>, rows_of<Key>>()), std::forward<Choices>(choices)...))));
        else
            return detail::batch_exchanged<Options.batch_first>(out_proj(
                merge_heads(ashlar::attention(queries(std::forward<Query>(q)), keys(std::forward<Key>(k)),
                                              values(std::forward<Value>(v)), std::forward<Choices>(choices)...))));
    }
    /// Catches every other call, to report one error.
    template <any_expression Query, class... Rest>
        requires(!detail::attention_call<Rest...>::fits)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Query&, const Rest&...) const& noexcept {
        static_assert(
            detail::attention_call<Rest...>::fits,
            "ashlar: multihead_attention: a call takes x, or queries, keys and values, and then options; a mask of bools is keep(m) or ignore(m), one of lengths keys_below(n), one that is added bias(m)");
        return detail::refused_rows<shape_of<Query>, out, element_of<Query>>();
    }
    template <any_expression Input, class... Rest>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Rest&&... rest) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Rest>(rest)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    /// The weight of each key for each query, per head: [..., heads, Tq, Tk], lazily.
    ///
    ///     auto w = mha.weights(x, x, causal);
    template <any_expression Query, any_expression Key, class... Choices>
        requires(!any_expression<Choices> && ...)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto weights(Query&& q, Key&& k,
                                                              Choices&&... choices) const& noexcept {
        if constexpr (has_relative_positions)
            return attention_weights(queries(std::forward<Query>(q)), keys(std::forward<Key>(k)),
                                     bias(position_bias<rows_of<Query>, rows_of<Key>>()),
                                     std::forward<Choices>(choices)...);
        else
            return attention_weights(queries(std::forward<Query>(q)), keys(std::forward<Key>(k)),
                                     std::forward<Choices>(choices)...);
    }
    /// The same averaged over the heads, as PyTorch returns with the result: [..., Tq, Tk], lazily.
    template <any_expression Query, any_expression Key, class... Choices>
        requires(!any_expression<Choices> && ...)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto average_weights(Query&& q, Key&& k,
                                                                      Choices&&... choices) const& noexcept {
        return mean<-3>(weights(std::forward<Query>(q), std::forward<Key>(k), std::forward<Choices>(choices)...));
    }

    /// Cross attention. Its evaluation also writes the weights of each head to `destination`, a tensor or view [...,
    /// heads, Tq, Tk]; one pass computes both.
    ///
    ///     y = mha.storing_weights(w, x, x, x, causal);
    template <array_expression Destination, any_expression Query, any_expression Key, any_expression Value,
              class... Choices>
        requires(!any_expression<Choices> && ...)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto storing_weights(Destination&& destination, Query&& q, Key&& k,
                                                                      Value&& v, Choices&&... choices) const& noexcept {
        auto stored = store(std::forward<Destination>(destination),
                            weights(std::forward<Query>(q), std::forward<Key>(k), std::forward<Choices>(choices)...));
        return detail::batch_exchanged<Options.batch_first>(out_proj(merge_heads(matmul(
            std::move(stored), ashlar::detail::grouped<shape_of<decltype(stored)>>(values(std::forward<Value>(v)))))));
    }

    /// The projected heads: [..., heads, T, head_width] of queries, [..., kv_heads, T, head_width] of keys and values.
    /// With `.rope` queries and keys are rotated; the first row has position `first`.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto queries(Input&& x,
                                                              [[maybe_unused]] std::size_t first = 0) const& noexcept {
        if constexpr (has_rope)
            return rope_tables<detail::rope_of_width(options.rope, head_width), Element>(
                split_heads<heads>(query(detail::batch_exchanged<Options.batch_first>(std::forward<Input>(x)))), first);
        else
            return split_heads<heads>(query(detail::batch_exchanged<Options.batch_first>(std::forward<Input>(x))));
    }
    /// The projected heads of keys, [..., kv_heads, T, head_width].
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keys(Input&& x,
                                                           [[maybe_unused]] std::size_t first = 0) const& noexcept {
        if constexpr (has_rope)
            return rope_tables<detail::rope_of_width(options.rope, head_width), Element>(
                split_heads<kv_heads>(key(detail::batch_exchanged<Options.batch_first>(std::forward<Input>(x)))),
                first);
        else
            return split_heads<kv_heads>(key(detail::batch_exchanged<Options.batch_first>(std::forward<Input>(x))));
    }
    /// The projected heads of values, [..., kv_heads, T, head_width].
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto values(Input&& x) const& noexcept {
        return split_heads<kv_heads>(value(detail::batch_exchanged<Options.batch_first>(std::forward<Input>(x))));
    }

    /// With `.relative_positions`: the bias of the scores, [heads, Rows, Keys], lazily, for queries from position
    /// `first` on; keys begin at position 0. Scratch holds the numbers of all distances.
    template <std::size_t Rows, std::size_t Keys>
        requires(has_relative_positions)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto position_bias(std::size_t first = 0) const& noexcept {
        return detail::relative_bias<Rows, Keys>(relative_attention_bias, first);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        if constexpr (Options.names == attention_names::llama) {
            visit("q_proj", self.query);
            visit("k_proj", self.key);
            visit("v_proj", self.value);
            visit("o_proj", self.out_proj);
        } else {
            if constexpr (kdim == embed && vdim == embed && kv_heads == heads) {
                visit("in_proj_weight", stacked(transposed(self.query.weight), transposed(self.key.weight),
                                                transposed(self.value.weight)));
            } else {
                visit("q_proj_weight", transposed(self.query.weight));
                visit("k_proj_weight", transposed(self.key.weight));
                visit("v_proj_weight", transposed(self.value.weight));
            }
            if constexpr (Options.bias && Options.key_bias) {
                visit("in_proj_bias", stacked(self.query.bias, self.key.bias, self.value.bias));
            } else if constexpr (Options.bias) {
                visit("q_proj_bias", self.query.bias);
                visit("v_proj_bias", self.value.bias);
            }
            visit("out_proj", self.out_proj);
        }
        if constexpr (has_relative_positions) visit("relative_attention_bias", self.relative_attention_bias);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Query, class Key, class Value, class Visitor>
    static constexpr void parts(const multihead_attention& self, const Query& q, const Key& k, const Value& v,
                                Visitor&& visit) {
        visit("query", self.query, q);
        visit("key", self.key, k);
        visit("value", self.value, v);
        visit("out_proj", self.out_proj, detail::with_columns<heads * head_width>(q));
    }
    template <class Input, class Visitor>
    static constexpr void parts(const multihead_attention& self, const Input& x, Visitor&& visit) {
        parts(self, x, detail::with_columns<kdim>(x), detail::with_columns<vdim>(x), visit);
    }
    /// For summaries: the call with an input if it has further arguments.
    template <class Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_with(const Input& x) const noexcept {
        return (*this)(x, detail::with_columns<kdim>(x), detail::with_columns<vdim>(x));
    }

private:
    /// Queries or keys of an input.
    template <class Input>
    static constexpr std::size_t rows_of =
        shape_of<Input>::extents[options.batch_first || shape_of<Input>::rank < 3 ? shape_of<Input>::rank - 2 : 0];
};

}  // namespace ashlar::nn
