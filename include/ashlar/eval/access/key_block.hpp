// SPDX-License-Identifier: BSL-1.0
// The current block of keys of attention in blocks: the mask restricted to it, and its new keys.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/kernel/product/product_shape.hpp>

namespace ashlar::inline v0_1::detail {

/// The shape of some scores with Keys keys.
template <class Scores, std::size_t Keys>
struct scores_of_block {
    static constexpr std::size_t rank = Scores::rank;
    static constexpr auto extents = [] {
        auto e = Scores::extents;
        e[rank - 1] = Keys;
        return e;
    }();
};

/// A mask of scores of shape Scores, shifted so that a given key has number 0.
template <class Mask, class Scores>
struct mask_of_block {
    using mask_category = mask_tag;

    const Mask& mask;
    std::size_t first_key;

    template <class Block>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Block>& batch,
                                                        const tile_range& tile) const {
        return mask.template content<Scores>(
            batch, {tile.first_query, tile.last_query, tile.first_key + first_key, tile.last_key + first_key});
    }
    template <class Block>
        requires spanning_mask<Mask, Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Block>& batch, std::size_t first_query,
                                                 std::size_t last_query) const {
        const key_span all = mask.template span<Scores>(batch, first_query, last_query);
        const auto before = static_cast<std::ptrdiff_t>(first_key);
        return {all.first - before, all.last - before, all.full_first - before, all.full_last - before};
    }
};
template <class Mask, class Scores>
inline constexpr bool is_band<mask_of_block<Mask, Scores>> = is_band<Mask>;
template <class Mask, class Scores>
inline constexpr bool has_lower_slope<mask_of_block<Mask, Scores>> = has_lower_slope<Mask>;

template <class Scores, class Mask>
ASHLAR_ALWAYS_INLINE constexpr mask_of_block<Mask, Scores> block_of_mask(const Mask& mask, std::size_t first_key) {
    return {mask, first_key};
}

/// The first new key of the current block in loop Loop: the last block begins early.
template <loop_index Loop, class Plan, class Element>
ASHLAR_STAGE_INLINE std::size_t new_keys(const frame<Plan, Element>& f) {
    constexpr plan_loop blocks = Plan::code.loops[Loop];
    if constexpr (blocks.extent % blocks.tile == 0) {
        return 0;
    } else {
        const std::size_t before = f.index[Loop] % blocks.tile;
        return before == 0 ? 0 : blocks.tile - before;
    }
}

/// The steps of a depth from one of them.
ASHLAR_ALWAYS_INLINE constexpr k_range from_step(std::size_t first, const k_range& d) {
    const auto later = [](std::size_t a, std::size_t b) { return a > b ? a : b; };
    const std::size_t from = later(d.first, first), plain = later(d.plain_first, from);
    return {from, plain, later(d.plain_last, plain), later(d.last, later(d.plain_last, plain))};
}
ASHLAR_ALWAYS_INLINE constexpr depth_range from_step(std::size_t first, const depth_range& d) {
    const std::size_t from = d.first > first ? d.first : first;
    return {from, d.last > from ? d.last : from};
}
template <bool Lower>
ASHLAR_ALWAYS_INLINE constexpr per_row_k_range<Lower> from_step(std::size_t first, per_row_k_range<Lower> d) {
    const auto from = static_cast<std::ptrdiff_t>(first);
    if (d.first < from) d.first = from;
    if (d.last < d.first) d.last = d.first;
    return d;
}

}  // namespace ashlar::detail
