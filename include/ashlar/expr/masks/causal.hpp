// SPDX-License-Identifier: BSL-1.0
// Masks that keep a band of keys around the query: causal, causal_at, sliding_window.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/expr/masks/entry_integers.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Larger than any difference of coordinates, and small enough to be added to a coordinate in 32 bits.
inline constexpr std::ptrdiff_t farthest = std::ptrdiff_t{1} << 30;

ASHLAR_ALWAYS_INLINE constexpr std::int32_t clamped_distance(std::ptrdiff_t d) noexcept {
    return static_cast<std::int32_t>(d < -farthest ? -farthest : d > farthest ? farthest : d);
}

/// An offset of any integer type, clamped to the range of distances.
template <std::integral Offset>
ASHLAR_ALWAYS_INLINE constexpr std::ptrdiff_t key_offset(Offset o) noexcept {
    if constexpr (std::is_signed_v<Offset>)
        if (o < 0) return static_cast<std::intmax_t>(o) < -farthest ? -farthest : static_cast<std::ptrdiff_t>(o);
    return static_cast<std::uintmax_t>(o) > static_cast<std::uintmax_t>(farthest) ? farthest
                                                                                  : static_cast<std::ptrdiff_t>(o);
}

/// What the band lowest <= key - query <= highest keeps of a tile.
ASHLAR_ALWAYS_INLINE constexpr tile_content band_content(std::ptrdiff_t lowest, std::ptrdiff_t highest,
                                                         const tile_range& tile) noexcept {
    const auto nearest = static_cast<std::ptrdiff_t>(tile.first_key) - static_cast<std::ptrdiff_t>(tile.last_query) + 1;
    const auto last = static_cast<std::ptrdiff_t>(tile.last_key) - 1 - static_cast<std::ptrdiff_t>(tile.first_query);
    if (last < lowest || nearest > highest || lowest > highest) return tile_content::empty;
    return nearest >= lowest && last <= highest ? tile_content::full : tile_content::mixed;
}

/// Keeps lowest() <= key - query <= highest(). Derived defines both, and has_lowest: whether the lower one is a bound.
template <class Derived>
struct band_mask {
    using mask_category = mask_tag;
    template <class Scores>
    using check = any_scores;

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        const auto distance =
            static_cast<std::ptrdiff_t>(at[Scores::rank - 1]) - static_cast<std::ptrdiff_t>(at[Scores::rank - 2]);
        return distance <= derived().highest() && distance >= derived().lowest();
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range& tile) const noexcept {
        return band_content(derived().lowest(), derived().highest(), tile);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>&, std::size_t first_query,
                                                 std::size_t last_query) const noexcept {
        const auto first = static_cast<std::ptrdiff_t>(first_query), last = static_cast<std::ptrdiff_t>(last_query) - 1;
        const std::ptrdiff_t lowest = derived().lowest(), end = derived().highest() + 1;
        if (lowest >= end) return {0, 0, 0, 0};
        return {first + lowest, last + end, last + lowest, first + end};
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>&, Int query, Int key,
                                                   std::size_t) const {
        const auto below = key <= query + Int(clamped_distance(derived().highest()));
        if constexpr (Derived::has_lowest)
            return below & (query + Int(clamped_distance(derived().lowest())) <= key);
        else
            return below;
    }

private:
    ASHLAR_ALWAYS_INLINE constexpr const Derived& derived() const noexcept {
        return static_cast<const Derived&>(*this);
    }
};

template <class Band>
constexpr bool in_band(std::size_t query, std::size_t key) {
    const auto distance = static_cast<std::ptrdiff_t>(key) - static_cast<std::ptrdiff_t>(query);
    return distance <= Band::highest() && distance >= Band::lowest();
}

template <std::ptrdiff_t Offset>
struct causal_mask : band_mask<causal_mask<Offset>> {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put(Offset == 0 ? "causal" : "causal_at<");
        if constexpr (Offset != 0) {
            out.put_signed(Offset);
            out.put(">()");
        }
    }
    using static_part = causal_mask;
    static constexpr bool is_static = true;
    static constexpr bool has_lowest = false;
    static constexpr std::size_t boundary_count = 1;
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t lowest() noexcept { return -farthest; }
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t highest() noexcept { return Offset; }
    static constexpr bool keeps_pair(std::size_t query, std::size_t key) { return in_band<causal_mask>(query, key); }
    static constexpr void boundaries(std::ptrdiff_t query, std::ptrdiff_t* keys) { keys[0] = query + Offset + 1; }
};

struct causal_at_mask : band_mask<causal_at_mask> {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("causal_at(offset)");
    }
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr bool has_lowest = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    std::ptrdiff_t offset;

    template <std::integral Offset>
    ASHLAR_ALWAYS_INLINE constexpr explicit causal_at_mask(Offset o) : offset(key_offset(o)) {}
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t lowest() noexcept { return -farthest; }
    ASHLAR_ALWAYS_INLINE constexpr std::ptrdiff_t highest() const noexcept { return offset; }
};

/// One offset per batch entry, of any integer type.
template <class Array>
struct causal_at_each_mask {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("causal_at(t)");
    }
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr bool has_lowest = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = entry_integers_shape<shape_of<Array>, Scores>;

    Array offsets;

    ASHLAR_ALWAYS_INLINE constexpr const Array& memory() const noexcept { return offsets; }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return of_entry<Scores>(at.data()).template keeps<Scores>(at);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        return of_entry<Scores>(batch.data()).template content<Scores>(batch, tile);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>& batch, std::size_t first_query,
                                                 std::size_t last_query) const noexcept {
        return of_entry<Scores>(batch.data()).template span<Scores>(batch, first_query, last_query);
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int query, Int key,
                                                   std::size_t count) const {
        return of_entry<Scores>(batch.data()).template keep_lanes<Scores>(batch, query, key, count);
    }

private:
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr causal_at_mask of_entry(const std::size_t* batch) const noexcept {
        return causal_at_mask(integer_of_entry<Scores>(offsets, batch));
    }
};

template <std::ptrdiff_t Left, std::ptrdiff_t Right>
struct sliding_window_mask : band_mask<sliding_window_mask<Left, Right>> {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("sliding_window<");
        out.put_signed(Left);
        out.put(", ");
        out.put_signed(Right);
        out.put('>');
    }
    using static_part = sliding_window_mask;
    static constexpr bool is_static = true;
    static constexpr bool has_lowest = true;
    static constexpr std::size_t boundary_count = 2;
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t lowest() noexcept { return -Left; }
    ASHLAR_ALWAYS_INLINE static constexpr std::ptrdiff_t highest() noexcept { return Right; }
    static constexpr bool keeps_pair(std::size_t query, std::size_t key) {
        return in_band<sliding_window_mask>(query, key);
    }
    static constexpr void boundaries(std::ptrdiff_t query, std::ptrdiff_t* keys) {
        keys[0] = query - Left;
        keys[1] = query + Right + 1;
    }
};

}  // namespace detail

/// Query i keeps the keys <= i. Query 0 is aligned with key 0, even if there are more keys than queries.
///
///     auto weights = softmax(masked(scores, causal));
inline constexpr detail::causal_mask<0> causal{};

/// Query i keeps the keys <= i + offset; the offset is any integer, also negative. With a cache of earlier keys it is
/// their number; bottom-right alignment is `keys - queries`. The offset is a runtime value, so costs are counted
/// without the mask.
///
///     auto y = attention(q, k, v, causal_at(cached));    // keys: `cached` earlier ones, then those of the queries
///     auto z = attention(q, k, v, causal_at<-1>());      // offset in the type: tiles it empties are never planned
template <std::integral Offset>
    requires(!std::same_as<Offset, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto causal_at(Offset offset) noexcept {
    return detail::causal_at_mask(offset);
}
/// The same for types that convert to an integer, such as an enumeration's constant.
///
///     auto y = attention(q, k, v, causal_at(std::integral_constant<int, 3>{}));
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto causal_at(std::ptrdiff_t offset) noexcept {
    return detail::causal_at_mask(offset);
}

/// One offset per batch entry, from an integer tensor. Its axes are the first batch axes of the scores, or the last
/// ones if only these fit; an axis of extent 1 is repeated. A named tensor is borrowed, a temporary is owned.
///
///     auto y = attention(q, k, v, causal_at(cached));   // q is [8, heads, 1, 32], cached tensor<int, 8>
template <class Expression>
    requires(any_expression<Expression> || std::floating_point<std::remove_cvref_t<Expression>> ||
             std::same_as<std::remove_cvref_t<Expression>, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto causal_at(Expression&& offsets) noexcept {
    static_assert(
        detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory,
        "ashlar: causal_at: takes an integer or an integer tensor over the batch axes; evaluate an expression "
        "first: causal_at(eval(e))");
    if constexpr (detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory)
        return detail::causal_at_each_mask<detail::held<Expression>>{detail::hold(std::forward<Expression>(offsets))};
    else
        return detail::keep_all_mask{};
}

/// The same with a constant offset: `causal_at<keys - queries>()`.
template <std::ptrdiff_t Offset>
    requires(Offset >= -detail::farthest && Offset <= detail::farthest)
[[nodiscard]] constexpr auto causal_at() noexcept {
    return detail::causal_mask<Offset>{};
}

/// Query i keeps the keys from i - Left to i + Right, inclusive; either may be negative.
///
///     auto y = attention(q, k, v, sliding_window<128, 0>);
template <std::ptrdiff_t Left, std::ptrdiff_t Right>
    requires(Left >= -detail::farthest && Left <= detail::farthest && Right >= -detail::farthest &&
             Right <= detail::farthest)
inline constexpr detail::sliding_window_mask<Left, Right> sliding_window{};

}  // namespace ashlar
