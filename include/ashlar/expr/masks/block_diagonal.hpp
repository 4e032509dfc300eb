// SPDX-License-Identifier: BSL-1.0
// The mask of attention within blocks of positions.
#pragma once

#include <cstddef>

#include <ashlar/expr/masks/keep_if.hpp>
#include <ashlar/expr/masks/mask.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether query and key are in one block of Size positions.
template <std::size_t Size>
struct in_one_block {
    constexpr bool operator()(std::size_t query, std::size_t key) const noexcept { return query / Size == key / Size; }
};

/// The mask of that predicate, with tiles and kept pairs by arithmetic instead of tables of blocks.
template <std::size_t Size>
struct block_diagonal_mask : keep_if_mask<in_one_block<Size>> {
    using static_part = block_diagonal_mask;
    static constexpr std::size_t boundary_count = 2;

    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put("block_diagonal<");
        out.put_signed(static_cast<std::ptrdiff_t>(Size));
        out.put('>');
    }
    static constexpr void boundaries(std::ptrdiff_t query, std::ptrdiff_t* keys) {
        keys[0] = static_cast<std::ptrdiff_t>(block_of(static_cast<std::size_t>(query)));
        keys[1] = keys[0] + static_cast<std::ptrdiff_t>(Size);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range& tile) const noexcept {
        const std::size_t first = block_of(tile.first_query), last = block_of(tile.last_query - 1);
        if (tile.last_key <= first || tile.first_key >= last + Size) return tile_content::empty;
        return first == last && tile.first_key >= first && tile.last_key <= first + Size ? tile_content::full
                                                                                         : tile_content::mixed;
    }

private:
    /// The first position of a block.
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t block_of(std::size_t position) noexcept {
        return position / Size * Size;
    }
};

}  // namespace detail

/// Keeps the pairs whose query and key are in one block of Size positions, [0, Size), [Size, 2 * Size) and so on: local
/// attention in blocks, as Llama 4 has with `causal`. Tiles outside the blocks are never planned.
///
///     auto y = attention(q, k, v, causal && block_diagonal<64>);
template <std::size_t Size>
    requires(Size != 0)
inline constexpr detail::block_diagonal_mask<Size> block_diagonal{};

}  // namespace ashlar
