// SPDX-License-Identifier: BSL-1.0
// The keys and values that decoding appends to a cache, from the next rows or from their norm.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes/sequence_node.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/scratch.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// No norm before the projections.
struct no_norm {};

/// Whether the keys of a cache are in the order of their positions, if an attention depends on that.
template <bool Needed, class Cache>
struct cache_in_order {
    static constexpr bool holds = !Needed || Cache::order == cache_order::linear;
};

/// Norm is called with the rows. Project is called with the attention, the rows and the position of the first one, and
/// passes keys and values to a function.
template <class Attention, class Norm, class Input, class Cache, class Project>
struct appended_rows {
    static constexpr bool has_norm = !std::is_same_v<Norm, no_norm>;
    using order = cache_in_order<Attention::has_relative_positions, Cache>;

    template <class Count>
    struct normed_of {
        using type = decltype(std::declval<const Count&>()(std::declval<const Input&>()));
    };
    template <std::same_as<no_norm> Count>
    struct normed_of<Count> {
        using type = Input;
    };
    using normed = typename normed_of<Norm>::type;
    using source = held_view<normed>;

    /// Bytes of scratch of the prefill.
    template <class Config>
    static constexpr std::size_t prefill_bytes = decltype(std::declval<const Project&>()(
        std::declval<const Attention&>(), std::declval<const source&>(), std::size_t{},
        []<class Key, class Value>(const Key&, const Value&) {
            return std::integral_constant<std::size_t, Cache::template prefill_workspace_bytes<Key, Value, Config>>{};
        }))::value;
    /// Bytes of the norm, and of the scratch of its evaluation.
    static constexpr std::size_t held = held_bytes<normed>;
    template <class Config>
    static constexpr std::size_t norm_scratch = scratch_of_held<normed, Config>();
    /// Bytes of all scratch.
    template <class Config>
    static constexpr std::size_t bytes =
        held + (norm_scratch<Config> > prefill_bytes<Config> ? norm_scratch<Config> : prefill_bytes<Config>);

    ASHLAR_ALWAYS_INLINE static constexpr void append(const Attention& attention, const Norm& norm, const Input& x,
                                                      Cache& cache, const Project& project,
                                                      const stack_scratch& scratch) noexcept {
        if (has_no_room(cache)) return;
        with_source(norm, x, scratch, [&](const auto& rows, const auto&) ASHLAR_LAMBDA_INLINE {
            project(attention, rows, cache.position(),
                    [&](const auto& k, const auto& v) ASHLAR_LAMBDA_INLINE { cache.prefill(k, v); });
        });
    }
    template <std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE static constexpr void append(const Attention& attention, const Norm& norm, const Input& x,
                                                      Cache& cache, const Project& project,
                                                      workspace<Bytes>& scratch) noexcept {
        if (has_no_room(cache)) return;
        with_source(
            norm, x, workspace_scratch{scratch.bytes}, [&](const auto& rows, const auto& rest) ASHLAR_LAMBDA_INLINE {
                rest.template with_workspace<prefill_bytes<current_config>>([&](auto& own) ASHLAR_LAMBDA_INLINE {
                    project(attention, rows, cache.position(),
                            [&](const auto& k, const auto& v) ASHLAR_LAMBDA_INLINE { cache.prefill(k, v, own); });
                });
            });
    }

private:
    /// A full cache is a caller's error. Without checks the results of the rows are NaN.
    ASHLAR_ALWAYS_INLINE static constexpr bool has_no_room(Cache& cache) noexcept {
        constexpr std::size_t rows = shape_of<Input>::extents[0];
        const bool full = cache.room() < rows;
        ASHLAR_ASSERT(!full,
                      "ashlar: decode: a cache has no room for the rows; clear or truncate it, or give it a larger "
                      "capacity or cache_order::ring");
        if (full) append_nan<rows, current_config>(cache);
        return full;
    }
    /// Overwrites the last rows with NaN, so that attention to them is NaN until they are truncated.
    template <std::size_t Rows, class Config>
    ASHLAR_NOINLINE static constexpr void append_nan(Cache& cache) noexcept {
        constexpr std::size_t kept = Rows < Cache::capacity ? Cache::capacity - Rows : 0;
        using number = ashlar::detail::computed<typename Cache::stored_type>;
        const scalar_node<number> nothing{ashlar::detail::quiet_nan<number>};
        if (cache.position() > kept) cache.truncate(kept);
        while (!cache.full())
            cache.append(broadcast_to<Cache::heads, Cache::key_width>(nothing),
                         broadcast_to<Cache::heads, Cache::value_width>(nothing));
    }

    template <class Scratch, class Function>
    ASHLAR_ALWAYS_INLINE static constexpr void with_source(const Norm& norm, const Input& x, const Scratch& scratch,
                                                           Function f) noexcept {
        if constexpr (has_norm)
            scratch.template with_values<current_config>(norm(x), f);
        else
            f(x, scratch);
    }
};

/// Whether the stack, or a workspace, has room for the scratch of appending; one error for each.
template <class Rows, class Scratch>
consteval bool check_appending() {
    static_assert(Rows::order::holds,
                  "ashlar: nn: relative positions need a cache whose keys lie in the order of their positions; "
                  "use cache_order::linear");
    if constexpr (std::is_same_v<Scratch, const stack_scratch>) {
        static_assert(
            held_on_stack<Rows::held, Rows::template norm_scratch<current_config>, current_config::stack_budget>::fits,
            "ashlar: nn: the norm of the rows to decode exceeds ASHLAR_STACK_BUDGET; pass a workspace of append_workspace_bytes<X, Cache> after the caches, or decode fewer rows at once");
        return held_on_stack<Rows::held, Rows::template norm_scratch<current_config>,
                             current_config::stack_budget>::fits;
    } else {
        static_assert(ashlar::detail::workspace_size<Scratch::size, Rows::template bytes<current_config>>::suffices,
                      "ashlar: nn: the workspace is too small to decode; it needs append_workspace_bytes<X, Cache>");
        return ashlar::detail::workspace_size<Scratch::size, Rows::template bytes<current_config>>::suffices;
    }
}

/// Keys and values as an attention projects them.
struct plain_projections {
    template <class Attention, class Rows, class Function>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Attention& attention, const Rows& rows, std::size_t first,
                                                   Function f) const noexcept {
        return f(attention.keys(rows, first), attention.values(rows));
    }
};
/// The same with rotated keys.
template <class Turn>
struct turned_projections {
    const Turn& turn;

    template <class Attention, class Rows, class Function>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Attention& attention, const Rows& rows, std::size_t first,
                                                   Function f) const noexcept {
        return f(turn(attention.keys(rows), first), attention.values(rows));
    }
};

/// Operations of several expressions.
template <class List>
inline constexpr std::size_t flops_of = 0;
template <class... Expression>
inline constexpr std::size_t flops_of<ashlar::detail::expression_list<Expression...>> =
    (std::size_t{0} + ... + flops<Expression>);

/// The expressions that an attention evaluates to append rows Input: their norm if there is one, and keys and values of
/// its result.
template <class Attention, class Norm, class Input>
struct appended_of {
    using normed = decltype(std::declval<const Norm&>()(std::declval<const Input&>()));
    using rows = ashlar::detail::value_tensor<normed>;
    using type =
        ashlar::detail::expression_list<normed,
                                        decltype(std::declval<const Attention&>().keys(std::declval<const rows&>())),
                                        decltype(std::declval<const Attention&>().values(std::declval<const rows&>()))>;
};
template <class Attention, class Input>
struct appended_of<Attention, no_norm, Input> {
    using type =
        ashlar::detail::expression_list<decltype(std::declval<const Attention&>().keys(std::declval<const Input&>())),
                                        decltype(std::declval<const Attention&>().values(
                                            std::declval<const Input&>()))>;
};

}  // namespace ashlar::nn::detail
