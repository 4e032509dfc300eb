// SPDX-License-Identifier: BSL-1.0
// The mask of a predicate on the indices of query and key.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/expr/masks/count.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether the type of a function object alone determines its results.
template <class Function>
struct mask_predicate {
    static constexpr bool is_captureless = std::is_empty_v<Function> && std::is_default_constructible_v<Function>;
    static constexpr bool takes_two_indices = std::is_invocable_r_v<bool, const Function&, std::size_t, std::size_t>;
    static constexpr bool is_constexpr =
        requires { typename std::bool_constant<static_cast<bool>(Function{}(std::size_t{0}, std::size_t{0}))>; };
};

/// A predicate as a template argument: any function pointer or object that can be one.
template <auto Predicate>
struct constant_predicate {
    constexpr auto operator()(std::size_t query, std::size_t key) const
        requires std::is_invocable_r_v<bool, decltype(Predicate), std::size_t, std::size_t>
    {
        return static_cast<bool>(Predicate(query, key));
    }
};

template <class Function>
struct keep_if_mask {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("keep_if(f)");
    }
    using mask_category = mask_tag;
    using static_part = keep_if_mask;
    static constexpr bool is_static = true;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = any_scores;

    static constexpr bool keeps_pair(std::size_t query, std::size_t key) {
        return static_cast<bool>(Function{}(query, key));
    }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return static_cast<bool>(Function{}(at[Scores::rank - 2], at[Scores::rank - 1]));
    }

    /// Uses a table of blocks made at compile time; for shapes too large for one, calls the predicate.
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range& tile) const noexcept {
        constexpr std::size_t queries = query_extent<Scores>, keys = key_extent<Scores>;
        constexpr std::size_t side = block_side<queries, keys>();
        if constexpr (side != 0) {
            constexpr std::size_t columns = ceil_divide(keys, side);
            const auto& blocks = block_contents<keep_if_mask, queries, keys>;
            const tile_content first = blocks[tile.first_query / side * columns + tile.first_key / side];
            for (std::size_t i = tile.first_query / side; i * side < tile.last_query; ++i)
                for (std::size_t j = tile.first_key / side; j * side < tile.last_key; ++j)
                    if (blocks[i * columns + j] != first) return tile_content::mixed;
            return first;
        } else {
            if (__builtin_is_constant_evaluated()) return tile_content::mixed;
            const bool first = static_cast<bool>(Function{}(tile.first_query, tile.first_key));
            for (std::size_t q = tile.first_query; q < tile.last_query; ++q)
                for (std::size_t k = tile.first_key; k < tile.last_key; ++k)
                    if (static_cast<bool>(Function{}(q, k)) != first) return tile_content::mixed;
            return first ? tile_content::full : tile_content::empty;
        }
    }

    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>&, Int query, Int key,
                                                   std::size_t count) const {
        using lane_mask_type = decltype(query < key);
        typename Int::value_type queries[Int::size] = {}, keys[Int::size] = {};
        query.store(queries);
        key.store(keys);
        bool kept[Int::size] = {};
        // The predicate may index a table, so it is not called beyond the scores.
        for (std::size_t i = 0; i < Int::size; ++i)
            kept[i] = i < count && static_cast<bool>(Function{}(static_cast<std::size_t>(queries[i]),
                                                                static_cast<std::size_t>(keys[i])));
        return lane_mask_type::load(kept);
    }
};

template <class Function>
consteval auto make_keep_if() {
    static_assert(
        mask_predicate<Function>::is_captureless,
        "ashlar: keep_if: the predicate must capture nothing, as its type decides; for conditions of run time "
        "use keep(t), of a constant use keep_if<p>");
    if constexpr (mask_predicate<Function>::is_captureless) {
        static_assert(mask_predicate<Function>::takes_two_indices,
                      "ashlar: keep_if: the predicate must take the query's and the key's std::size_t index and return "
                      "a bool");
        if constexpr (mask_predicate<Function>::takes_two_indices) {
            static_assert(mask_predicate<Function>::is_constexpr,
                          "ashlar: keep_if: the predicate must be constexpr, because the compiler calls it; for "
                          "conditions of run time use keep(t)");
            if constexpr (mask_predicate<Function>::is_constexpr)
                return keep_if_mask<Function>{};
            else
                return keep_all_mask{};
        } else {
            return keep_all_mask{};
        }
    } else {
        return keep_all_mask{};
    }
}

}  // namespace detail

/// Keeps the pairs for which a constexpr predicate of the query's and the key's index is true. It needs no parentheses
/// as an argument, or next to another mask. It needs them after `!`, and between two `keep_if`: `!keep_if<p>()`.
///
/// For up to 2^18 pairs, tiles are classified as empty, full or mixed at compile time, in blocks of 16 x 16 or 32 x 32.
/// For larger scores the predicate is called at run time, and costs are counted as if all pairs were kept.
///
///     inline constexpr auto alternate = [](std::size_t q, std::size_t k) { return q % 2 == k % 2; };
///     auto weights = softmax(masked(scores, keep_if<alternate>));
template <auto Predicate>
[[nodiscard]] constexpr auto keep_if() noexcept {
    return detail::make_keep_if<detail::constant_predicate<Predicate>>();
}

/// The same for a function object that captures nothing. In headers, name it: the type of a lambda inside the call
/// differs between files.
///
///     auto even = keep_if([](std::size_t q, std::size_t k) { return (q + k) % 2 == 0; });
template <class Function>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keep_if(Function) noexcept {
    return detail::make_keep_if<Function>();
}

}  // namespace ashlar
