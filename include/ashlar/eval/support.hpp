// SPDX-License-Identifier: BSL-1.0
// Which keys a tile of queries sees: the range outside which a mask keeps nothing, and the part where it keeps all.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/mask.hpp>
#include <ashlar/kernel/product_shape.hpp>

namespace ashlar::detail {

/// The keys [first, last) outside which `mask` keeps none for queries [q0, q1), and one run [plain_first, plain_last)
/// in which it keeps them all. `first` and `plain_first` are multiples of key_group.
template <class Scores, class Mask>
ASHLAR_ALWAYS_INLINE depth_parts kept_keys(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch,
                                           std::size_t q0, std::size_t q1) {
    constexpr std::size_t keys = Scores::extents[Scores::rank - 1];
    depth_parts parts{keys, keys, keys, 0};
    bool in_run = false, had_run = false;
    for (std::size_t k = 0; k < keys; k += key_group) {
        const std::size_t end = k + key_group < keys ? k + key_group : keys;
        const tile_content content = mask_content<Scores>(mask, batch, q0, q1, k, end);
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

/// kept_keys of masked node Id for the batch entry at these coordinates of it.
template <std::size_t Id, class P, class T, std::size_t Rank>
ASHLAR_ALWAYS_INLINE depth_parts supported_keys(const frame<P, T>& f, const std::array<std::size_t, Rank>& at,
                                                std::size_t q0, std::size_t q1) {
    using Scores = typename P::template node<Id>::shape_type;
    std::array<std::size_t, Rank - 2> batch{};
    for (std::size_t a = 0; a + 2 < Rank; ++a) batch[a] = at[a];
    return kept_keys<Scores>(f.template node<Id>().mask, batch, q0, q1);
}

}  // namespace ashlar::detail
