// SPDX-License-Identifier: BSL-1.0
// The mask of keys in a cache: slots map to positions, and a query sees those at or before its own.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/mask.hpp>

namespace ashlar::inline v0_1::nn::detail {

using namespace ashlar::detail;  // the interface of masks

/// Slot s of a cache holds the latest position p with p % Capacity == s. Query i has position first + i and keeps
/// positions from first + i - window + 1 to first + i. Slots that were never written count as later positions.
template <std::size_t Capacity>
struct cached_keys_mask {
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = any_scores;

    /// Slots below `turn` hold positions slot + late, the others slot + late - Capacity; both relative to query 0.
    std::ptrdiff_t turn, late, lowest;

    /// After `appended` rows in total, for queries from position `first` on.
    ASHLAR_ALWAYS_INLINE constexpr cached_keys_mask(std::size_t appended, std::size_t first,
                                                    std::size_t window) noexcept
        : turn(static_cast<std::ptrdiff_t>(appended < Capacity ? Capacity : appended % Capacity)),
          late((appended < Capacity ? 0 : static_cast<std::ptrdiff_t>(appended - appended % Capacity)) -
               static_cast<std::ptrdiff_t>(first)),
          lowest(1 - static_cast<std::ptrdiff_t>(
                         window < static_cast<std::size_t>(farthest) ? window : static_cast<std::size_t>(farthest))) {}

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        const auto slot = static_cast<std::ptrdiff_t>(at[Scores::rank - 1]);
        const auto distance = slot + shift(slot < turn) - static_cast<std::ptrdiff_t>(at[Scores::rank - 2]);
        return distance <= 0 && distance >= lowest;
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range& tile) const noexcept {
        const auto split = static_cast<std::size_t>(turn);
        if (tile.last_key <= split) return part(tile, true);
        if (tile.first_key >= split) return part(tile, false);
        const tile_content before = part({tile.first_query, tile.last_query, tile.first_key, split}, true);
        const tile_content after = part({tile.first_query, tile.last_query, split, tile.last_key}, false);
        return before == after ? before : tile_content::mixed;
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>&, Int query, Int key,
                                                   std::size_t) const {
        const auto is_late = key < Int(static_cast<std::int32_t>(turn));
        return (is_late & band(query, key, true)) | (~is_late & band(query, key, false));
    }

private:
    ASHLAR_ALWAYS_INLINE constexpr std::ptrdiff_t shift(bool is_late) const noexcept {
        return is_late ? late : late - static_cast<std::ptrdiff_t>(Capacity);
    }
    ASHLAR_ALWAYS_INLINE constexpr tile_content part(const tile_range& tile, bool is_late) const noexcept {
        return band_content(lowest - shift(is_late), -shift(is_late), tile);
    }
    template <class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto band(Int query, Int key, bool is_late) const {
        const Int position = key + Int(clamped_distance(shift(is_late)));
        return (position <= query) & (query + Int(clamped_distance(lowest)) <= position);
    }
};

}  // namespace ashlar::nn::detail
