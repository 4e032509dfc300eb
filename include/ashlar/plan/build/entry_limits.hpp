// SPDX-License-Identifier: BSL-1.0
// The ends of loops that are known at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar::inline v0_1::detail {

/// All rows of the result are computed. Otherwise `are_limited` says what limits them.
struct all_rows {
    static constexpr bool are_limited = false;
};
template <class Rows>
concept row_limit = std::remove_cvref_t<Rows>::are_limited;

/// The needed entries of an axis: all, or those below the greatest of some run-time limits: the number of the result's
/// rows, and the ends of what masks keep.
struct entry_limits {
    std::uint32_t bits = 0;

    static constexpr std::uint32_t all_bit = 1u << 31, rows_bit = 1u << 30;
    static constexpr std::size_t most_masks = 30;
    static constexpr entry_limits all() { return {all_bit}; }
    static constexpr entry_limits rows() { return {rows_bit}; }
    /// The keys that the mask of the number-th masked node keeps for any query.
    static constexpr entry_limits keys(std::size_t number) { return {number < most_masks ? 1u << number : all_bit}; }

    constexpr bool are_all() const { return (bits & all_bit) != 0; }
    constexpr bool have_rows() const { return (bits & rows_bit) != 0; }
    constexpr bool have_keys(std::size_t number) const { return number < most_masks && (bits >> number & 1u) != 0; }
    constexpr bool have_keys() const { return (bits & (rows_bit - 1)) != 0; }
    /// Whether a loop can end at them.
    constexpr bool stop() const { return bits != 0 && !are_all(); }
    /// The entries that either use needs.
    constexpr void add(const entry_limits& o) { bits = ((bits | o.bits) & all_bit) != 0 ? all_bit : bits | o.bits; }
    friend constexpr bool operator==(const entry_limits&, const entry_limits&) = default;
};

}  // namespace ashlar::detail
