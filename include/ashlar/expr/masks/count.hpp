// SPDX-License-Identifier: BSL-1.0
// The number of pairs that a mask keeps, as far as its type tells. Counted at compile time, in pieces within compiler
// limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/expr/masks/mask.hpp>

namespace ashlar::inline v0_1::detail {

/// Bounds of a predicate's compile time. The side of a block bounds one constant evaluation (compiler limits start at
/// 2^18 steps). The number of blocks bounds the total to about half a second, for 256 blocks of 32 x 32 pairs.
inline constexpr std::size_t smallest_block = 16, largest_block = 32, most_blocks = 256;
inline constexpr std::size_t rows_per_evaluation = 128;

consteval std::size_t smaller(std::size_t a, std::size_t b) { return a < b ? a : b; }
consteval std::size_t ceil_divide(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

/// The side of the square blocks in which a predicate over Queries x Keys is evaluated at compile time; 0 if that takes
/// more than most_blocks.
template <std::size_t Queries, std::size_t Keys>
consteval std::size_t block_side() {
    for (std::size_t side = smallest_block; side <= largest_block; side *= 2)
        if (ceil_divide(Queries, side) * ceil_divide(Keys, side) <= most_blocks) return side;
    return 0;
}

template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t Index, std::size_t Column>
consteval std::size_t count_block() {
    constexpr std::size_t side = block_side<Queries, Keys>();
    std::size_t kept = 0;
    for (std::size_t q = Index * side; q < smaller(Queries, (Index + 1) * side); ++q)
        for (std::size_t k = Column * side; k < smaller(Keys, (Column + 1) * side); ++k)
            kept += Mask::keeps_pair(q, k) ? 1u : 0u;
    return kept;
}

/// The kept pairs of one block. A separate variable is a separate constant evaluation.
template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t Index, std::size_t Column>
inline constexpr std::size_t block_pairs = count_block<Mask, Queries, Keys, Index, Column>();

/// The content of every block, in row-major order, for a mask that can only be evaluated pair by pair.
template <class Mask, std::size_t Queries, std::size_t Keys>
inline constexpr auto block_contents =
    []<std::size_t... Index>(std::index_sequence<Index...>) {
        constexpr std::size_t side = block_side<Queries, Keys>(), columns = ceil_divide(Keys, side);
        return std::array{[] {
            constexpr std::size_t rows_left = Queries - Index / columns * side,
                                  keys_left = Keys - Index % columns * side;
            constexpr std::size_t kept = block_pairs<Mask, Queries, Keys, Index / columns, Index % columns>;
            if constexpr (kept == 0)
                return tile_content::empty;
            else
                return kept == smaller(side, rows_left) * smaller(side, keys_left) ? tile_content::full
                                                                                   : tile_content::mixed;
        }()...};
    }(std::make_index_sequence<ceil_divide(Queries, block_side<Queries, Keys>()) *
                               ceil_divide(Keys, block_side<Queries, Keys>())>{});

/// The kept pairs of the rows from First, at most rows_per_evaluation, for a mask whose rows are intervals. The mask is
/// evaluated once between two boundaries.
template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t First>
consteval std::size_t count_rows() {
    std::size_t kept = 0;
    for (std::size_t q = First; q < smaller(Queries, First + rows_per_evaluation); ++q) {
        std::array<std::ptrdiff_t, Mask::boundary_count + 1> ends{};
        Mask::boundaries(static_cast<std::ptrdiff_t>(q), ends.data());
        ends[Mask::boundary_count] = static_cast<std::ptrdiff_t>(Keys);
        for (std::size_t i = 1; i < ends.size(); ++i)
            for (std::size_t j = i; j > 0 && ends[j] < ends[j - 1]; --j) std::swap(ends[j], ends[j - 1]);
        std::size_t start = 0;
        for (const std::ptrdiff_t end : ends) {
            const std::size_t stop = end < 0 ? 0 : smaller(static_cast<std::size_t>(end), Keys);
            if (stop <= start) continue;
            if (Mask::keeps_pair(q, start)) kept += stop - start;
            start = stop;
        }
    }
    return kept;
}

template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t First>
inline constexpr std::size_t row_pairs = count_rows<Mask, Queries, Keys, First>();

/// The kept pairs of a static mask. Exact if its rows are intervals, or if its predicate fits into the blocks;
/// otherwise all pairs.
template <class Mask, std::size_t Queries, std::size_t Keys>
consteval std::size_t count_pairs() {
    if constexpr (Mask::boundary_count != no_boundaries) {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            std::size_t kept = 0;
            for (const std::size_t some : {row_pairs<Mask, Queries, Keys, Index * rows_per_evaluation>...})
                kept += some;
            return kept;
        }(std::make_index_sequence<ceil_divide(Queries, rows_per_evaluation)>{});
    } else if constexpr (constexpr std::size_t side = block_side<Queries, Keys>(); side != 0) {
        constexpr std::size_t columns = ceil_divide(Keys, side);
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            std::size_t kept = 0;
            for (const std::size_t some : {block_pairs<Mask, Queries, Keys, Index / columns, Index % columns>...})
                kept += some;
            return kept;
        }(std::make_index_sequence<ceil_divide(Queries, side) * columns>{});
    } else {
        return Queries * Keys;
    }
}

template <class Mask, std::size_t Queries, std::size_t Keys>
inline constexpr std::size_t kept_pairs = count_pairs<Mask, Queries, Keys>();

/// The pairs that the mask's type keeps in scores of this shape, over all batch entries; runtime conditions count as
/// kept.
template <any_mask Mask, class Scores>
inline constexpr std::size_t mask_kept_pairs =
    Scores::size / query_extent<Scores> / key_extent<Scores> *
    kept_pairs<typename Mask::static_part, query_extent<Scores>, key_extent<Scores>>;

/// Keys are tested in groups of this size to find those a tile needs.
inline constexpr std::size_t key_group = 16;

/// The end of the last group of keys that a static mask may keep for some query.
template <class Mask, std::size_t Queries, std::size_t Keys>
inline constexpr std::size_t keys_ever_kept = [] {
    std::size_t end = Keys;
    while (end > 0) {
        const std::size_t first = (end - 1) / key_group * key_group;
        if (Mask{}.template content<shape<Queries, Keys>>({}, {0, Queries, first, end}) != tile_content::empty) break;
        end = first;
    }
    return end;
}();

template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t TileQ, std::size_t TileK>
consteval auto decide_tiles() {
    constexpr std::size_t rows = ceil_divide(Queries, TileQ), columns = ceil_divide(Keys, TileK);
    std::array<tile_content, rows * columns> contents{};
    for (std::size_t i = 0; i < rows * columns; ++i) {
        const std::size_t q = i / columns * TileQ, k = i % columns * TileK;
        contents[i] = Mask{}.template content<shape<Queries, Keys>>(
            {}, {q, smaller(Queries, q + TileQ), k, smaller(Keys, k + TileK)});
    }
    return contents;
}

/// The content of every tile of a static mask, in row-major order.
template <class Mask, std::size_t Queries, std::size_t Keys, std::size_t TileQ, std::size_t TileK>
    requires(Mask::is_static)
inline constexpr auto static_tile_contents = decide_tiles<Mask, Queries, Keys, TileQ, TileK>();

}  // namespace ashlar::detail
