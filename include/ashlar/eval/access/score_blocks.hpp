// SPDX-License-Identifier: BSL-1.0
// Verdicts of a mask on the blocks of a tile of scores before they are computed: skipped, computed without a mask,
// masked, or needed for some rows only.
#pragma once

#include <ashlar/eval/access/key_range.hpp>
#include <ashlar/kernel/product/epilogue.hpp>

namespace ashlar::inline v0_1::detail {

/// The verdict on keys [k0, k1) with known ranges of keys. Skips: no stage reads scores outside these ranges.
template <bool Skips>
ASHLAR_ALWAYS_INLINE constexpr block_verdict verdict_of(const k_range& range, std::size_t k0, std::size_t k1) {
    if (Skips && (k1 <= range.first || k0 >= range.last)) return block_verdict::skip;
    if (k0 >= range.plain_first && k1 <= range.plain_last) return block_verdict::plain;
    return block_verdict::masked;
}

/// Verdicts from the tile's range of keys, with columns in lanes.
template <bool Skips>
struct tile_scores {
    static constexpr hook hooks = hook::begin_block;
    static constexpr hook withheld = hook::none;
    k_range keys;

    ASHLAR_ALWAYS_INLINE block_verdict begin_block(std::size_t, std::size_t, std::size_t k0, std::size_t k1) const {
        return verdict_of<Skips>(keys, k0, k1);
    }
};

/// Verdicts from the range of keys of each register of rows, with rows in lanes.
template <bool Skips, std::size_t Width, std::size_t Registers>
struct listed_scores {
    static constexpr bool splits = Skips && Registers > 1;
    static constexpr hook hooks = splits ? hook::begin_block | hook::splits_block : hook::begin_block;
    static constexpr hook withheld = splits ? hook::none : hook::splits_block;
    k_range keys[Registers];

    ASHLAR_ALWAYS_INLINE block_verdict begin_block(std::size_t k0, std::size_t k1, std::size_t j0,
                                                   std::size_t j1) const {
        const block_verdict one = verdict_of<Skips>(keys[j0 / Width], k0, k1);
        for (std::size_t r = j0 / Width + 1; r * Width < j1; ++r)
            if (verdict_of<Skips>(keys[r], k0, k1) != one) return block_verdict::masked;
        return one;
    }
    ASHLAR_ALWAYS_INLINE bool splits_block(std::size_t k0, std::size_t k1, std::size_t j0, std::size_t j1) const
        requires splits
    {
        std::size_t skipped = 0;
        for (std::size_t r = j0 / Width; r * Width < j1; ++r)
            skipped += verdict_of<Skips>(keys[r], k0, k1) == block_verdict::skip;
        return skipped != 0 && skipped * Width < j1 - j0;
    }
};

/// Verdicts of the mask, block by block, with one row in lanes: no stage reads scores that it does not keep.
template <class Scores, class Mask, class Held = const Mask&>
struct exact_scores {
    static constexpr hook hooks = hook::begin_block;
    static constexpr hook withheld = hook::none;
    Held mask;
    batch_coordinates<Scores> batch;
    std::size_t first_query;

    ASHLAR_ALWAYS_INLINE block_verdict begin_block(std::size_t k0, std::size_t k1, std::size_t j0,
                                                   std::size_t j1) const {
        const key_span kept = mask.template span<Scores>(batch, first_query + j0, first_query + j1);
        const auto from = static_cast<std::ptrdiff_t>(k0), to = static_cast<std::ptrdiff_t>(k1);
        if (to <= kept.first || from >= kept.last) return block_verdict::skip;
        return kept.full_first <= from && to <= kept.full_last ? block_verdict::plain : block_verdict::masked;
    }
};

/// Verdicts of the mask, block by block and down to halves of registers, with rows in lanes, for masks whose edges move
/// from row to row. Readers of a register of rows read whole groups of keys.
template <class Scores, class Mask, std::size_t Width, class Held = const Mask&>
struct sloping_scores {
    static constexpr hook hooks = hook::begin_block | hook::kept_halves;
    static constexpr hook withheld = hook::none;
    Held mask;
    batch_coordinates<Scores> batch;
    std::size_t first_query;

    static constexpr bool ends_within = has_lower_slope<Mask>;
    static constexpr std::size_t half = Width / 2;
    ASHLAR_ALWAYS_INLINE key_span span(std::size_t j0, std::size_t j1) const {
        return mask.template span<Scores>(batch, first_query + j0, first_query + j1);
    }
    template <std::size_t Step>
    ASHLAR_ALWAYS_INLINE static bool misses(const key_span& kept, std::size_t k0, std::size_t k1) {
        constexpr auto step = static_cast<std::ptrdiff_t>(Step);
        return static_cast<std::ptrdiff_t>(k0) >= ((kept.last + (step - 1)) & -step) ||
               static_cast<std::ptrdiff_t>(k1) <= (kept.first & -step);
    }

    ASHLAR_ALWAYS_INLINE block_verdict begin_block(std::size_t k0, std::size_t k1, std::size_t j0,
                                                   std::size_t j1) const {
        const key_span kept = span(j0, j1);
        const bool all =
            kept.full_first <= static_cast<std::ptrdiff_t>(k0) && static_cast<std::ptrdiff_t>(k1) <= kept.full_last;
        return all ? block_verdict::plain : block_verdict::masked;
    }
    /// The needed halves of registers: one run, counted from j0. Queries from j1 do not exist, and their scores have no
    /// scratch.
    ASHLAR_ALWAYS_INLINE half_range kept_halves(std::size_t k0, std::size_t k1, std::size_t j0, std::size_t j1) const {
        const std::size_t count = (j1 - j0 + half - 1) / half;
        const auto of_halves = [&](std::size_t h, std::size_t halves) ASHLAR_LAMBDA_INLINE {
            const std::size_t end = j0 + (h + halves) * half;
            return span(j0 + h * half, end < j1 ? end : j1);
        };
        const auto unread = [&](std::size_t r)
                                ASHLAR_LAMBDA_INLINE { return misses<key_group>(of_halves(r, 2), k0, k1); };
        const auto excluded = [&](std::size_t h) ASHLAR_LAMBDA_INLINE { return misses<1>(of_halves(h, 1), k0, k1); };
        half_range kept{0, count};
        while (kept.first < count && unread(kept.first)) kept.first += 2;
        if (kept.first + 1 < count && excluded(kept.first) && !excluded(kept.first + 1)) ++kept.first;
        if (kept.first > count) kept.first = count;
        if constexpr (has_lower_slope<Mask>) {
            while (kept.last > kept.first && unread((kept.last - 1) / 2 * 2)) kept.last = (kept.last - 1) / 2 * 2;
            if (kept.last % 2 == 0 && kept.last >= kept.first + 2 && excluded(kept.last - 1) &&
                !excluded(kept.last - 2))
                --kept.last;
        }
        return kept;
    }
};

}  // namespace ashlar::detail
