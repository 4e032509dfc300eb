// SPDX-License-Identifier: BSL-1.0
// The inputs that a stream remembers: the rows before a block and the block, in memory that shifts or in a ring.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// Copies elements to a place before them, or to one that does not overlap them.
template <class Element>
ASHLAR_ALWAYS_INLINE constexpr void copy_back(Element* to, const Element* from, std::size_t count) noexcept {
    if (__builtin_is_constant_evaluated())
        for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    else
        __builtin_memmove(to, from, count * sizeof(Element));
}

/// The last History rows and a block of up to Block rows, contiguous. Each block first moves History rows to the front.
/// Spare rows after a block may be read.
template <class Element, std::size_t Width, std::size_t History, std::size_t Block, std::size_t Spare>
struct shifted_memory {
    basic_tensor<Element, History + Block + Spare, Width> rows{};
    std::size_t taken = 0;

    /// The memory of a block of n rows, after those before it.
    constexpr Element* begin(std::size_t n) noexcept {
        if constexpr (History != 0)
            if (taken != 0) copy_back(rows.data(), rows.data() + taken * Width, History * Width);
        taken = n;
        return rows.data() + History * Width;
    }
    /// Called when the block is in memory.
    constexpr void end() noexcept {}
    /// Row i of the block; the rows before it have negative numbers.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element* row(std::ptrdiff_t i) const noexcept {
        return rows.data() + (static_cast<std::ptrdiff_t>(History) + i) * static_cast<std::ptrdiff_t>(Width);
    }
    constexpr void fill(Element value) noexcept {
        rows = value;
        taken = 0;
    }
};

/// The same as a ring whose first Overlap rows exist again after its last one, so that Overlap + 1 rows from anywhere
/// in the ring are contiguous. A block costs its own rows, for any History.
template <class Element, std::size_t Width, std::size_t History, std::size_t Block, std::size_t Overlap>
struct ring_memory {
    /// Rows after a block's last one are written before they count, and must not be those that are remembered.
    static constexpr std::size_t size = History + Block;
    static_assert(Overlap >= Block && Overlap <= size);

    basic_tensor<Element, size + Overlap, Width> rows{};
    std::size_t first = 0, taken = 0;

    constexpr Element* begin(std::size_t n) noexcept {
        first += taken;
        if (first >= size) first -= size;
        taken = n;
        return rows.data() + first * Width;
    }
    constexpr void end() noexcept {
        const std::size_t last = first + taken;
        // Rows of the front exist again after the ring, and rows that are written there also in front.
        if (first < Overlap) {
            const std::size_t until = last < Overlap ? last : Overlap;
            copy_back(rows.data() + (size + first) * Width, rows.data() + first * Width, (until - first) * Width);
        }
        if (last > size) {
            const std::size_t from = first > size ? first : size;
            copy_back(rows.data() + (from - size) * Width, rows.data() + from * Width, (last - from) * Width);
        }
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element* row(std::ptrdiff_t i) const noexcept {
        std::size_t place = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(first + size) + i);
        if (place >= size) place -= size;
        if (place >= size) place -= size;
        return rows.data() + place * Width;
    }
    constexpr void fill(Element value) noexcept {
        rows = value;
        first = taken = 0;
    }
};

/// The memory for windows of Block rows at most that reach History rows back. Contiguous rows from any start must be in
/// one piece. Memory shifts while the rows that it moves are no more than a block, and is a ring beyond.
template <class Element, std::size_t Width, std::size_t History, std::size_t Block, std::size_t Spare,
          std::size_t Contiguous>
using stream_memory =
    std::conditional_t<History <= Block, shifted_memory<Element, Width, History, Block, Spare>,
                       ring_memory<Element, Width, History, Block, (Contiguous < Block ? Block : Contiguous)>>;

}  // namespace ashlar::nn::detail
