// SPDX-License-Identifier: BSL-1.0
// smoothed: weights in 8 bits whose outliers, and those of what they multiply, are spread over other entries first.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar {

/// As the type of a module's weights, `smoothed<std::int8_t>`, and as the element type of a matrix in 8 bits,
/// `quantized<smoothed<float>, 384, 1536>`: before rows and columns are rounded, each is multiplied by one and the same
/// Hadamard matrix, which changes no product. What one entry has more than the others is shared by 16 of them, so that
/// a row's scale does not follow its greatest entry. A depth that 16 does not divide, or below 256, has groups of 8, 4
/// or 2 entries, at least 16 apart; an odd one, or one below 32, stays as it is. The bytes are those of plain 8 bits; a
/// product of 128 rows takes up to 12% longer, a whole encoder 4%.
///
/// Trained models have columns of activations that are ten and more times as large as others, which costs the accuracy
/// of all others in the row. Source: Ashkboos et al., QuaRot, arXiv:2404.00456.
///
///     static nn::encoder<{.layer = {.embed = 384, .heads = 12}, .layers = 6}, float, smoothed<std::int8_t>> small;
template <class Element>
struct smoothed {};

namespace detail {

/// What an element type of a matrix in 8 bits computes with, and whether outliers are spread.
template <class Element>
struct smoothed_traits {
    using value = Element;
    static constexpr bool is_smoothed = false;
};
template <class Element>
struct smoothed_traits<smoothed<Element>> {
    using value = Element;
    static constexpr bool is_smoothed = true;
};

/// Over how many entries an outlier of a line is spread: as many values as registers hold, each register full.
inline constexpr std::size_t most_spread = 16, least_apart = 16;
constexpr std::size_t spread_of(std::size_t depth) noexcept {
    std::size_t parts = 1;
    while (parts < most_spread && depth % (2 * parts) == 0 && depth / (2 * parts) >= least_apart) parts *= 2;
    return parts;
}

/// Whether an element of the Hadamard matrix is -1; otherwise it is 1.
ASHLAR_ALWAYS_INLINE constexpr bool is_negative_in_spread(std::size_t row, std::size_t column) noexcept {
    std::size_t both = row & column;
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

/// Calls take(k, y) for each entry of a line of `depth` values: those of `value(k)` where parts is 1, else an entry of
/// the line that is spread, divided by `parts`, so that none is greater than the greatest before.
template <class Value, class Take>
ASHLAR_ALWAYS_INLINE constexpr void for_each_spread(std::size_t depth, std::size_t parts, Value value,
                                                    Take take) noexcept {
    if (parts == 1) {
        for (std::size_t k = 0; k < depth; ++k) take(k, value(k));
        return;
    }
    const std::size_t apart = depth / parts;
    for (std::size_t j = 0; j < apart; ++j) {
        float v[most_spread]{};
        for (std::size_t i = 0; i < parts; ++i) v[i] = value(i * apart + j) / static_cast<float>(parts);
        add_and_subtract(v, parts);
        for (std::size_t i = 0; i < parts; ++i) take(i * apart + j, v[i]);
    }
}

}  // namespace detail
}  // namespace ashlar
