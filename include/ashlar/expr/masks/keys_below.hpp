// SPDX-License-Identifier: BSL-1.0
// Masks of a valid length: the keys below one number, or one number per batch entry.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/entry_integers.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// A number of keys from any integer: at least 0, and small enough for 32-bit lanes.
template <std::integral Count>
ASHLAR_ALWAYS_INLINE constexpr std::size_t key_count(Count n) noexcept {
    if constexpr (std::is_signed_v<Count>)
        if (n < 0) return 0;
    const auto count = static_cast<std::uintmax_t>(n);
    return count < static_cast<std::uintmax_t>(farthest) ? static_cast<std::size_t>(count)
                                                         : static_cast<std::size_t>(farthest);
}

ASHLAR_ALWAYS_INLINE constexpr tile_content keys_below_content(std::size_t count, const tile_range& tile) noexcept {
    if (tile.first_key >= count) return tile_content::empty;
    return tile.last_key <= count ? tile_content::full : tile_content::mixed;
}

ASHLAR_ALWAYS_INLINE constexpr key_span keys_below_span(std::size_t count) noexcept {
    const auto keys = static_cast<std::ptrdiff_t>(count);
    return {0, keys, 0, keys};
}

struct keys_below_mask {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("keys_below(n)");
    }
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = any_scores;

    std::size_t count;

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return at[Scores::rank - 1] < count;
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range& tile) const noexcept {
        return keys_below_content(count, tile);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>&, std::size_t,
                                                 std::size_t) const noexcept {
        return keys_below_span(count);
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>&, Int, Int key, std::size_t) const {
        return key < Int(static_cast<std::int32_t>(count));
    }
};

template <class Array>
struct keys_below_each_mask {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("keys_below(t)");
    }
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = entry_integers_shape<shape_of<Array>, Scores>;

    Array counts;

    ASHLAR_ALWAYS_INLINE constexpr const Array& memory() const noexcept { return counts; }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return at[Scores::rank - 1] < count<Scores>(at.data());
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        return keys_below_content(count<Scores>(batch.data()), tile);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>& batch, std::size_t,
                                                 std::size_t) const noexcept {
        return keys_below_span(count<Scores>(batch.data()));
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int, Int key,
                                                   std::size_t) const {
        return key < Int(static_cast<std::int32_t>(count<Scores>(batch.data())));
    }

private:
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr std::size_t count(const std::size_t* batch) const noexcept {
        return key_count(integer_of_entry<Scores>(counts, batch));
    }
};

}  // namespace detail

/// Keeps the keys below n, clamped to [0, keys]: the first n keys are valid. Loops over keys stop at n, so the time is
/// that of n keys; constants such as flops<Expression> count all keys.
///
///     auto y = attention(q, k, v, keys_below(length));
template <std::integral Count>
    requires(!std::same_as<Count, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keys_below(Count n) noexcept {
    return detail::keys_below_mask{detail::key_count(n)};
}

/// One number per batch entry, from an integer tensor. Its axes are the first batch axes of the scores, or the last
/// ones if only these fit; an axis of extent 1 is repeated. A named tensor is borrowed, a temporary is owned.
///
///     auto y = attention(q, k, v, keys_below(lengths));   // q is [8, heads, 64, 32], lengths tensor<int, 8>
template <class Expression>
    requires(any_expression<Expression> || std::floating_point<std::remove_cvref_t<Expression>> ||
             std::same_as<std::remove_cvref_t<Expression>, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keys_below(Expression&& counts) noexcept {
    static_assert(
        detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory,
        "ashlar: keys_below: takes an integer or an integer tensor over the batch axes; evaluate an expression "
        "first: keys_below(eval(e))");
    if constexpr (detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory)
        return detail::keys_below_each_mask<detail::held<Expression>>{detail::hold(std::forward<Expression>(counts))};
    else
        return detail::keep_all_mask{};
}

}  // namespace ashlar
