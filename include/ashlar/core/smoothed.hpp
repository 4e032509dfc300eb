// SPDX-License-Identifier: BSL-1.0
// smoothed: weights in 8 bits whose outliers, and those of the rows they multiply, are first spread over other entries.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// As the type of a module's weights, `smoothed<std::int8_t>`, and as the element type of a matrix in 8 bits,
/// `quantized<smoothed<float>, 384, 1536>`: rows and columns are multiplied by one Hadamard matrix before they are
/// rounded. The product stays the same. 64 entries share an outlier, so that a row's scale does not follow its greatest
/// entry. Depths that are not a multiple of 64, or less than 256, have smaller groups: the largest power of two that
/// divides them, with at least 16 entries between the blocks of a group. Odd depths, and those below 32, stay as they
/// are. The size is that of plain 8 bits. A product of 128 rows takes up to 15% longer, an encoder 8%.
///
/// Trained models have columns of activations that are ten and more times as large as others. Without spreading they
/// take the accuracy of all others in the row. Source: Ashkboos et al., QuaRot, arXiv:2404.00456.
///
///     static nn::encoder<{.layer = {.embed = 384, .heads = 12}, .layers = 6}, float, smoothed<std::int8_t>> small;
template <class Element>
struct smoothed {};

namespace detail {

/// The element type that a matrix in 8 bits computes with, whether outliers are spread, and whether rows get scales.
template <class Element>
struct smoothed_traits {
    using value = Element;
    static constexpr bool is_smoothed = false;
    static constexpr bool scales_rows = true;
};
template <class Element>
struct smoothed_traits<smoothed<Element>> {
    using value = Element;
    static constexpr bool is_smoothed = true;
    static constexpr bool scales_rows = true;
};

/// The groups of entries of a line that share their outliers. A line has `parts` blocks of `apart` entries; a group has
/// `side` neighbours of each block. Kernels hold one register of each block.
struct spread_groups {
    std::size_t apart, parts, side;

    static constexpr std::size_t most_parts = 16, most_side = 4, most = most_parts * most_side, least_apart = 16;

    explicit constexpr spread_groups(std::size_t depth) noexcept : apart(depth), parts(1), side(1) {
        while (parts < most_parts && apart % 2 == 0 && apart / 2 >= least_apart) {
            parts *= 2;
            apart /= 2;
        }
        if (parts != 1 && apart % most_side == 0) side = most_side;
    }
    /// Entries of a group.
    constexpr std::size_t size() const noexcept { return parts * side; }
    /// Which entry of its group an entry of the line is.
    constexpr std::size_t member(std::size_t entry) const noexcept { return entry / apart * side + entry % side; }
    /// The entry of the line that is this member of the group of `entry`.
    constexpr std::size_t entry_of(std::size_t entry, std::size_t member) const noexcept {
        return member / side * apart + entry % apart / side * side + member % side;
    }
};
constexpr std::size_t spread_of(std::size_t depth) noexcept { return spread_groups(depth).size(); }

/// Whether an element of the Hadamard matrix is -1; otherwise it is 1.
ASHLAR_ALWAYS_INLINE constexpr bool is_negative_in_spread(std::size_t row, std::size_t column) noexcept {
    std::size_t both = row & column;
    both ^= both >> 4;
    both ^= both >> 2;
    return ((both ^ both >> 1) & 1) != 0;
}

/// Multiplies the first `parts` of v, a power of two, by the Hadamard matrix of that order. In a fixed order of
/// additions, so that all machines have the same sums. Twice gives `parts` times v.
template <class Values>
ASHLAR_ALWAYS_INLINE constexpr void add_and_subtract(Values& v, std::size_t parts) noexcept {
    for (std::size_t half = 1; half < parts; half *= 2)
        for (std::size_t i = 0; i < parts; ++i) {
            if ((i & half) != 0) continue;
            const auto a = v[i], b = v[i + half];
            v[i] = a + b;
            v[i + half] = a - b;
        }
}

/// Calls take(k, y) for each entry of a line of `depth` values: value(k), or, if `spread` exceeds 1, the entry after
/// spreading, divided by the group's size, so that none is greater than the greatest before.
template <class Value, class Take>
ASHLAR_ALWAYS_INLINE constexpr void for_each_spread(std::size_t depth, std::size_t spread, Value value,
                                                    Take take) noexcept {
    if (spread <= 1) {
        for (std::size_t k = 0; k < depth; ++k) take(k, value(k));
        return;
    }
    const spread_groups groups(depth);
    for (std::size_t j = 0; j < groups.apart; j += groups.side) {
        float v[spread_groups::most]{};
        for (std::size_t n = 0; n < spread; ++n) v[n] = value(groups.entry_of(j, n)) / static_cast<float>(spread);
        add_and_subtract(v, spread);
        for (std::size_t n = 0; n < spread; ++n) take(groups.entry_of(j, n), v[n]);
    }
}

}  // namespace detail
}  // namespace ashlar
