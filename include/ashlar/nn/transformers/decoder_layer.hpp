// SPDX-License-Identifier: BSL-1.0
// decoder_layer: self attention, attention to a memory, and a feed-forward block.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/cache/remembered_rows.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>
#include <ashlar/nn/layers/heads.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/norm.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// The options of the attention to a memory, made from those of the self attention.
consteval attention_options without_positions(attention_options options) {
    options.rope = {};
    options.relative_positions.heads = 0;
    return options;
}

/// Options of `attention` that are meant for a memory.
template <class Apply>
struct cross_choices {
    [[no_unique_address]] Apply apply;
};
template <class Choice>
inline constexpr bool is_cross = false;
template <class Apply>
inline constexpr bool is_cross<cross_choices<Apply>> = true;

/// Calls f(options for the memory, other options...). Options have no order, so the others may be reordered.
template <std::size_t Turns, class Function>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto with_cross(const Function& f) noexcept {
    return f(cross_choices{[](const auto& g) ASHLAR_LAMBDA_INLINE { return g(); }});
}
template <std::size_t Turns, class Function, class First, class... Rest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto with_cross(const Function& f, const First& first,
                                                             const Rest&... rest) noexcept {
    if constexpr (is_cross<First>)
        return f(first, rest...);
    else if constexpr (Turns == 0)
        return f(cross_choices{[](const auto& g) ASHLAR_LAMBDA_INLINE { return g(); }}, first, rest...);
    else
        return with_cross<Turns - 1>(f, rest..., first);
}

}  // namespace detail

/// Options of `attention` for the memory of a decoder layer; those given without it are for its self attention.
///
///     y = layer(x, memory, causal, nn::cross(keys_below(memory_length)));
template <class... Choices>
    requires(!any_expression<Choices> && ...)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cross(const Choices&... choices) noexcept {
    return detail::cross_choices{[choices...](const auto& f) ASHLAR_LAMBDA_INLINE { return f(choices...); }};
}

/// The options of `decoder_layer`: those of an encoder layer. Rotation and relative positions are those of the self
/// attention.
using decoder_layer_options = encoder_layer_options;

/// A layer of a transformer's decoder, lazily: x [..., T, embed] and memory [..., S, embed] to [..., T, embed], with at
/// most two batch axes (one without batch_first). Options of the call are those of `attention` for the self attention
/// (`causal`, as a rule), and `cross(...)` for the memory. As PyTorch's nn.TransformerDecoderLayer without dropout. One
/// expression: first it computes the memory's keys and values, then one loop over rows does the rest.
///
///     nn::decoder_layer<{.embed = 64, .heads = 4, .hidden = 256}> layer{};
///     y = layer(x, memory, causal, nn::cross(keys_below(n)));
template <decoder_layer_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct decoder_layer {
    using encoder_type = encoder_layer<Options, Element, Weight, Panel>;
    static constexpr decoder_layer_options options = Options;
    using norm_type = typename encoder_type::norm_type;
    static constexpr std::size_t embed = Options.embed, hidden = encoder_type::hidden;

    multihead_attention<encoder_type::self_attention_options, Element, Weight, Panel> self_attn;
    multihead_attention<detail::without_positions(encoder_type::self_attention_options), Element, Weight, Panel>
        multihead_attn;
    nn::feed_forward<encoder_type::block_options, Element, Weight, Panel> feed_forward;
    norm_type norm1, norm2, norm3;

    static constexpr std::size_t heads = Options.heads, head_width = decltype(self_attn)::head_width;

    /// The expression; it borrows the module.
    template <any_expression Input, any_expression Memory, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Memory&& memory,
                                                                 const Choices&... choices) const& noexcept {
        constexpr bool fits =
            detail::module_input<shape_of<Input>, embed>::fits && detail::module_input<shape_of<Memory>, embed>::fits;
        static_assert(detail::module_input<shape_of<Input>, embed>::fits &&
                          detail::module_input<shape_of<Memory>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return detail::used_often(std::forward<Memory>(memory), [&](const auto& m) ASHLAR_LAMBDA_INLINE {
                return detail::used_often(std::forward<Input>(x), [&](const auto& y) ASHLAR_LAMBDA_INLINE {
                    return detail::with_cross<sizeof...(Choices)>(
                        [&](const auto& to_memory, const auto&... own)
                            ASHLAR_LAMBDA_INLINE { return layer(y, m, to_memory, own...); },
                        choices...);
                });
            });
    }
    template <any_expression Input, class... Rest>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, Rest&&... rest) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x), std::forward<Rest>(rest)...);
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    /// Writes keys and values of a memory [S, embed] to a cache; `decode` reads those of the first `count` rows. If the
    /// cache has room for S rows, they are computed in place. If the memory is an array, rows after the key block of
    /// row `count` - 1 are not computed. Scratch is on the stack or in a workspace of at least
    /// remember_workspace_bytes<Memory, Cache>.
    ///
    ///     layer.remember(memory, memory_cache, length);
    template <any_expression Memory, class Cache>
    constexpr void remember(const Memory& memory, Cache& cache,
                            std::size_t count = shape_of<Memory>::extents[0]) const noexcept {
        detail::for_each_part<Cache>(
            memory, count, [&](const auto& part, std::size_t first, std::size_t rows) ASHLAR_LAMBDA_INLINE {
                cache.refill(multihead_attn.keys(part), multihead_attn.values(part), rows, first);
            });
    }
    template <any_expression Memory, class Cache, std::size_t Bytes>
    constexpr void remember(const Memory& memory, Cache& cache, std::size_t count,
                            workspace<Bytes>& scratch) const noexcept {
        detail::for_each_part<Cache>(
            memory, count, [&](const auto& part, std::size_t first, std::size_t rows) ASHLAR_LAMBDA_INLINE {
                cache.refill(multihead_attn.keys(part), multihead_attn.values(part), rows, scratch, first);
            });
    }
    template <any_expression Memory, class Cache, std::size_t Bytes>
    constexpr void remember(const Memory& memory, Cache& cache, workspace<Bytes>& scratch) const noexcept {
        remember(memory, cache, shape_of<Memory>::extents[0], scratch);
    }
    /// Bytes of scratch that `remember` of a memory needs.
    ///
    ///     static workspace<layer_type::remember_workspace_bytes<decltype(memory), cache_type>> scratch;
    ///     layer.remember(memory, memory_cache, length, scratch);
    template <class Memory, class Cache, class Config = current_config>
    static constexpr std::size_t remember_workspace_bytes = std::remove_cvref_t<Cache>::template refill_workspace_bytes<
        decltype(std::declval<const decltype(multihead_attn)&>().keys(
            std::declval<detail::memory_part<std::remove_cvref_t<Memory>, std::remove_cvref_t<Cache>>>())),
        decltype(std::declval<const decltype(multihead_attn)&>().values(
            std::declval<detail::memory_part<std::remove_cvref_t<Memory>, std::remove_cvref_t<Cache>>>())),
        Config>;

private:
    template <class Input, class Cache>
    using rows_of =
        detail::rows_of_layer<options.norm_first,
                              multihead_attention<encoder_type::self_attention_options, Element, Weight, Panel>,
                              norm_type, Input, Cache>;

public:
    /// The layer for the next rows [rows, embed] after those in `cache`, over a memory in another cache: appends their
    /// keys and values now, and returns the expression for them, [rows, embed]. x must be a tensor or view. Both caches
    /// are a `kv_cache` of `heads` heads of `head_width`; `cache` must have room (asserted). Options of the call are as
    /// above, but those for the self attention have no mask: a row attends to the rows before it and itself. A mask for
    /// the memory replaces `keys_below(memory.length())`, so it must exclude rows that the cache does not hold.
    ///
    ///     layer.remember(memory, memory_cache);
    ///     y = layer.decode(row, cache, memory_cache);
    template <array_expression Input, class Cache, class MemoryCache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, Cache& cache, const MemoryCache& memory,
                                                             const Choices&... choices) const& noexcept {
        if constexpr (detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache, MemoryCache>::fit)
            static_cast<void>(
                detail::check_appending<rows_of<std::remove_cvref_t<Input>, Cache>, const detail::stack_scratch>());
        return decode_with(x, cache, memory, detail::on_stack, choices...);
    }
    /// The same, with scratch for appending in a workspace of at least append_workspace_bytes<Input, Cache>.
    template <array_expression Input, class Cache, class MemoryCache, std::size_t Bytes, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode(Input&& x, Cache& cache, const MemoryCache& memory,
                                                             workspace<Bytes>& scratch,
                                                             const Choices&... choices) const& noexcept {
        if constexpr (detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache, MemoryCache>::fit)
            static_cast<void>(detail::check_appending<rows_of<std::remove_cvref_t<Input>, Cache>, workspace<Bytes>>());
        return decode_with(x, cache, memory, scratch, choices...);
    }
    /// Bytes of scratch for appending rows Input.
    template <class Input, class Cache, class Config = current_config>
    static constexpr std::size_t append_workspace_bytes =
        encoder_type::template append_workspace_bytes<Input, Cache, Config>;
    /// The expressions that `decode` of an Input evaluates when it is called, and their FLOPs.
    template <class Input>
    using appended = typename encoder_type::template appended<Input>;
    template <class Input>
    static constexpr std::size_t append_flops = encoder_type::template append_flops<Input>;

private:
    template <class Input, class Cache, class MemoryCache, class Scratch, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode_with(const Input& x, Cache& cache,
                                                                  const MemoryCache& memory, Scratch& scratch,
                                                                  const Choices&... choices) const noexcept {
        constexpr bool fits = detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache, MemoryCache>::fit;
        static_assert(
            detail::decoded_rows<shape_of<Input>, embed, heads, head_width, Cache, MemoryCache>::fit,
            "ashlar: decoder: decode needs rows [rows, embed] and caches of the layer's heads and head width; change one");
        if constexpr (!fits) {
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        } else {
            if constexpr (detail::check_appending<rows_of<Input, Cache>, Scratch>())
                detail::append_rows<Options.norm_first>(self_attn, norm1, x, cache, scratch);
            return detail::with_cross<sizeof...(Choices)>(
                [&](const auto& to_memory, const auto&... own)
                    ASHLAR_LAMBDA_INLINE { return decoded(x, cache, memory, to_memory, own...); },
                choices...);
        }
    }

public:
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("self_attn", self.self_attn);
        visit("multihead_attn", self.multihead_attn);
        visit("", self.feed_forward);
        visit("norm1", self.norm1);
        visit("norm2", self.norm2);
        visit("norm3", self.norm3);
    }
    /// For summaries: the module's parts and their inputs.
    template <class Input, class Visitor>
    static constexpr void parts(const decoder_layer& self, const Input& x, Visitor&& visit) {
        visit("self_attn", self.self_attn, x);
        visit("multihead_attn", self.multihead_attn, x);
        decltype(self.feed_forward)::parts(self.feed_forward, x, visit);
        visit("norm1", self.norm1, x);
        visit("norm2", self.norm2, x);
        visit("norm3", self.norm3, x);
    }
    /// For summaries: the call with an input if it has further arguments.
    template <class Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_with(const Input& x) const noexcept {
        return (*this)(x, x);
    }

private:
    template <class Input, class Memory, class Cross, class... Own>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto layer(const Input& x, const Memory& memory,
                                                            const Cross& to_memory, const Own&... own) const noexcept {
        return blocks(
            x, [&](const auto& y) ASHLAR_LAMBDA_INLINE { return self_attn(y, own...); },
            [&](const auto& q) ASHLAR_LAMBDA_INLINE {
                return to_memory.apply([&](const auto&... choices) ASHLAR_LAMBDA_INLINE {
                    return multihead_attn(q, memory, memory, choices...);
                });
            });
    }
    /// The same with keys and values in caches.
    template <class Input, class Cache, class MemoryCache, class Cross, class... Own>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decoded(const Input& x, const Cache& cache,
                                                              const MemoryCache& memory, const Cross& to_memory,
                                                              const Own&... own) const noexcept {
        return blocks(
            x,
            [&](const auto& y) ASHLAR_LAMBDA_INLINE {
                return self_attn.out_proj(merge_heads(detail::attend_cache(self_attn, y, cache, own...)));
            },
            [&](const auto& q) ASHLAR_LAMBDA_INLINE {
                return to_memory.apply([&](const auto&... choices) ASHLAR_LAMBDA_INLINE {
                    return multihead_attn.out_proj(merge_heads(recall(q, memory, choices...)));
                });
            });
    }
    /// The three blocks with their residuals and norms; `attend` and `look_up` are the two attentions.
    template <class Input, class Attend, class LookUp>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto blocks(const Input& x, const Attend& attend,
                                                             const LookUp& look_up) const noexcept {
        if constexpr (Options.norm_first)
            return let(x + attend(norm1(x)), [&](const auto& a) ASHLAR_LAMBDA_INLINE {
                return let(a + look_up(norm2(a)),
                           [this](const auto& b) ASHLAR_LAMBDA_INLINE { return b + feed_forward(norm3(b)); });
            });
        else
            return let(norm1(x + attend(x)), [&](const auto& a) ASHLAR_LAMBDA_INLINE {
                return let(norm2(a + look_up(a)),
                           [this](const auto& b) ASHLAR_LAMBDA_INLINE { return norm3(b + feed_forward(b)); });
            });
    }
    /// The attention of rows to a memory in a cache; it is never causal.
    template <class Query, class Cache, class... Choices>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto recall(const Query& q, const Cache& memory,
                                                             const Choices&... choices) const noexcept {
        if constexpr (ashlar::detail::has_option<ashlar::detail::attention_option::mask, Choices...>)
            return ashlar::attention(multihead_attn.queries(q), memory.keys(), memory.values(), choices...);
        else
            return ashlar::attention(multihead_attn.queries(q), memory.keys(), memory.values(),
                                     keys_below(memory.length()), choices...);
    }
};

}  // namespace ashlar::nn
