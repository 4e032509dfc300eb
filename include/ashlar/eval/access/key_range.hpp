// SPDX-License-Identifier: BSL-1.0
// The keys of a tile of queries: the range outside which a mask keeps nothing, and the part that it keeps whole.
#pragma once

#include <ashlar/eval/access/key_block.hpp>
#include <ashlar/kernel/product/product_shape.hpp>

namespace ashlar::inline v0_1::detail {

/// Groups of keys that are tested together first if there are many.
inline constexpr std::size_t key_run = 8 * key_group;

/// Rounds a span to multiples of Step, except at the last key. No keys are plain if the plain ones do not fill a group.
template <std::size_t Step, std::size_t Keys>
ASHLAR_ALWAYS_INLINE constexpr k_range parts_of(const key_span& span) {
    const auto within = [](std::ptrdiff_t k) {
        return k < 0 ? 0 : k > static_cast<std::ptrdiff_t>(Keys) ? Keys : static_cast<std::size_t>(k);
    };
    const auto up = [](std::size_t k, std::size_t step) {
        return (k + step - 1) / step * step < Keys ? (k + step - 1) / step * step : Keys;
    };
    const std::size_t from = within(span.first), to = within(span.last);
    if (to <= from) return {0, 0, 0, 0};
    k_range parts{from / Step * Step, up(within(span.full_first), key_group), within(span.full_last), up(to, Step)};
    if (parts.plain_last != Keys) parts.plain_last = parts.plain_last / key_group * key_group;
    if (parts.plain_last <= parts.plain_first) parts.plain_first = parts.plain_last = parts.last;
    return parts;
}

/// For masks without spans, which are asked tile by tile: the keys [first, last) outside which `mask` keeps none for
/// queries [q0, q1), and one run [plain_first, plain_last) that it keeps whole. `first` and `plain_first` are multiples
/// of key_group.
template <class Scores, class Mask>
ASHLAR_ALWAYS_INLINE k_range scan_keys(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                       std::size_t q0, std::size_t q1) {
    constexpr std::size_t keys = Scores::extents[Scores::rank - 1];
    k_range parts{keys, keys, keys, 0};
    bool in_run = false, had_run = false;
    for (std::size_t k = 0, end = 0; k < keys; k = end) {
        tile_content content = tile_content::mixed;
        if (keys >= 2 * key_run && k % key_run == 0 && k + key_run <= keys) {
            end = k + key_run;
            content = mask_content<Scores>(mask, batch, q0, q1, k, end);
        }
        if (content == tile_content::mixed) {
            end = k + key_group < keys ? k + key_group : keys;
            content = mask_content<Scores>(mask, batch, q0, q1, k, end);
        }
        if (content == tile_content::full && !had_run) {
            if (!in_run) parts.plain_first = k;
            in_run = true;
            parts.plain_last = end;
        } else if (in_run) {
            had_run = true;
            in_run = false;
        }
        if (content == tile_content::empty) continue;
        if (k < parts.first) parts.first = k;
        parts.last = end;
    }
    if (parts.last == 0) return {0, 0, 0, 0};
    if (parts.plain_first == keys) parts.plain_first = parts.plain_last = parts.last;
    return parts;
}

/// scan_keys for some of the queries of `all`. With Step < key_group its ends are exact to Step keys if the mask has no
/// gaps.
template <std::size_t Step, class Scores, class Mask>
ASHLAR_ALWAYS_INLINE k_range scan_keys_within(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                              std::size_t q0, std::size_t q1, k_range all) {
    const auto content = [&](std::size_t k0, std::size_t k1)
                             ASHLAR_LAMBDA_INLINE { return mask_content<Scores>(mask, batch, q0, q1, k0, k1); };
    const auto group_end = [&](std::size_t k)
                               ASHLAR_LAMBDA_INLINE { return k + key_group < all.last ? k + key_group : all.last; };
    while (all.first < all.last && content(all.first, group_end(all.first)) == tile_content::empty)
        all.first = group_end(all.first);
    while (all.first < all.last) {
        const std::size_t from = (all.last - 1) / key_group * key_group;
        if (content(from, all.last) != tile_content::empty) break;
        all.last = from;
    }
    for (std::size_t step = key_group / 2; step >= Step; step /= 2) {
        if (all.first + step < all.last && content(all.first, all.first + step) == tile_content::empty)
            all.first += step;
        if (all.first + step < all.last && content(all.last - step, all.last) == tile_content::empty) all.last -= step;
    }
    if (all.plain_last <= all.plain_first) all.plain_first = all.plain_last = all.first;
    if (all.plain_last > all.last) all.plain_last = all.last;
    if (all.plain_first < all.first) all.plain_first = all.first;
    if (all.plain_last < all.plain_first) all.plain_last = all.plain_first;
    if constexpr (Step == key_group) {
        while (all.plain_first == all.plain_last && all.plain_last < all.last &&
               content(all.plain_last, group_end(all.plain_last)) != tile_content::full)
            all.plain_first = all.plain_last = group_end(all.plain_last);
        while (all.plain_last < all.last && content(all.plain_last, group_end(all.plain_last)) == tile_content::full)
            all.plain_last = group_end(all.plain_last);
        while (all.first < all.plain_first && all.plain_first >= key_group &&
               content(all.plain_first - key_group, all.plain_first) == tile_content::full)
            all.plain_first -= key_group;
    }
    return all;
}

/// The keys [first, last) outside which `mask` keeps none for queries [q0, q1), and one run [plain_first, plain_last)
/// that it keeps whole. `first` and `plain_first` are multiples of key_group.
template <class Scores, class Mask>
ASHLAR_ALWAYS_INLINE k_range kept_keys(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                       std::size_t q0, std::size_t q1) {
    if constexpr (spanning_mask<Mask, Scores>)
        return parts_of<key_group, key_extent<Scores>>(mask.template span<Scores>(batch, q0, q1));
    else
        return scan_keys<Scores>(mask, batch, q0, q1);
}

/// kept_keys for some of the queries of `all`. With Step < key_group its ends are exact to Step keys if the mask has no
/// gaps.
template <std::size_t Step, class Scores, class Mask>
ASHLAR_ALWAYS_INLINE k_range kept_keys_within(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                              std::size_t q0, std::size_t q1, const k_range& all) {
    if constexpr (spanning_mask<Mask, Scores>) {
        k_range own = parts_of<Step, key_extent<Scores>>(mask.template span<Scores>(batch, q0, q1));
        if (own.last <= own.first) return {all.first, all.first, all.first, all.first};
        // Blocks of register vectors may start or end between two multiples of Step.
        if (own.plain_last > own.last) own.plain_last = own.last;
        if (own.plain_first < own.first) own.plain_first = own.first;
        return own;
    } else {
        return scan_keys_within<Step, Scores>(mask, batch, q0, q1, all);
    }
}

/// The exact keys of some queries, row by row if they differ.
template <class Scores, class Mask>
    requires spanning_mask<Mask, Scores>
ASHLAR_ALWAYS_INLINE auto per_row_key_range(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                            std::size_t q0, std::size_t q1) {
    constexpr auto keys = static_cast<std::ptrdiff_t>(key_extent<Scores>);
    const key_span span = mask.template span<Scores>(batch, q0, q1);
    const std::ptrdiff_t from = span.first < 0 ? 0 : span.first, to = span.last > keys ? keys : span.last;
    const std::ptrdiff_t first = from < to ? from : 0, last = from < to ? to : 0;
    if constexpr (is_band<Mask>)
        return per_row_k_range<has_lower_slope<Mask>>{first, span.full_first, span.full_last, last};
    else
        return depth_range{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

/// The batch coordinates of scores.
template <std::size_t Rank>
ASHLAR_ALWAYS_INLINE std::array<std::size_t, Rank - 2> mask_batch(const std::array<std::size_t, Rank>& at) {
    std::array<std::size_t, Rank - 2> batch{};
    for (std::size_t a = 0; a + 2 < Rank; ++a) batch[a] = at[a];
    return batch;
}

/// Calls `ask` with the shape of the scores, the mask of node Id, the batch entry and the queries: neighbouring
/// queries, the first of which has these coordinates of the node. Rows of a stage are queries only if they run along
/// that axis. If loop Blocks runs over blocks of keys, the mask is that of the current block.
template <node_index Id, loop_index Blocks, class Plan, class Element, std::size_t Rank, class Ask>
ASHLAR_STAGE_INLINE auto with_scores_mask(const frame<Plan, Element>& f, const std::array<std::size_t, Rank>& at,
                                          std::size_t queries, const Ask& ask) {
    using Scores = typename Plan::template node<Id>::shape_type;
    const auto& mask = node_at<Id>(f.expression).mask;
    const std::size_t first = at[Rank - 2];
    if constexpr (Blocks == no_loop)
        return ask.template operator()<Scores>(mask, mask_batch(at), first, first + queries);
    else
        return ask.template operator()<scores_of_block<Scores, Plan::code.loops[Blocks].tile>>(
            block_of_mask<Scores>(mask, f.index[Blocks]), mask_batch(at), first, first + queries);
}

/// kept_keys of these queries.
template <node_index Id, loop_index Blocks, class Plan, class Element, std::size_t Rank>
ASHLAR_STAGE_INLINE k_range supported_keys(const frame<Plan, Element>& f, const std::array<std::size_t, Rank>& at,
                                           std::size_t queries) {
    return with_scores_mask<Id, Blocks>(
        f, at, queries,
        []<class Scores>(const auto& mask, const auto& batch, std::size_t q0, std::size_t q1)
            ASHLAR_STAGE_LAMBDA { return kept_keys<Scores>(mask, batch, q0, q1); });
}

/// The same for some of the queries of `all`.
template <node_index Id, std::size_t Step, loop_index Blocks, class Plan, class Element, std::size_t Rank>
ASHLAR_STAGE_INLINE k_range supported_keys_within(const frame<Plan, Element>& f,
                                                  const std::array<std::size_t, Rank>& at, std::size_t queries,
                                                  const k_range& all) {
    return with_scores_mask<Id, Blocks>(
        f, at, queries,
        [&]<class Scores>(const auto& mask, const auto& batch, std::size_t q0, std::size_t q1)
            ASHLAR_STAGE_LAMBDA { return kept_keys_within<Step, Scores>(mask, batch, q0, q1, all); });
}

/// per_row_key_range of these queries.
template <node_index Id, loop_index Blocks, class Plan, class Element, std::size_t Rank>
ASHLAR_STAGE_INLINE auto supported_per_row(const frame<Plan, Element>& f, const std::array<std::size_t, Rank>& at,
                                           std::size_t queries) {
    return with_scores_mask<Id, Blocks>(
        f, at, queries,
        []<class Scores>(const auto& mask, const auto& batch, std::size_t q0, std::size_t q1)
            ASHLAR_STAGE_LAMBDA { return per_row_key_range<Scores>(mask, batch, q0, q1); });
}

}  // namespace ashlar::detail
