// SPDX-License-Identifier: BSL-1.0
// Finds the array of a file that a missing name most likely means.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/formats/stored_array.hpp>
#include <ashlar/io/model/names.hpp>

namespace ashlar::inline v0_1::detail {

/// The minimum number of characters to replace, add or remove from one name to the other (Levenshtein 1966); names are
/// cut at the maximum length. Common beginnings and ends cost nothing and are left out first. A constant expression,
/// whose steps are limited, does not compare names that differ in long parts: `most` is their distance.
template <class Config>
constexpr std::size_t name_distance(std::string_view from, std::string_view to, std::size_t most) noexcept {
    std::array<std::uint16_t, file_name_capacity + 1> costs{};
    const char *a = from.data(), *b = to.data();
    const char *a_end = a + (from.size() < file_name_capacity ? from.size() : file_name_capacity),
               *b_end = b + (to.size() < file_name_capacity ? to.size() : file_name_capacity);
    while (a != a_end && b != b_end && *a == *b) ++a, ++b;
    while (a != a_end && b != b_end && a_end[-1] == b_end[-1]) --a_end, --b_end;
    const auto count = static_cast<std::size_t>(b_end - b);
    if (std::is_constant_evaluated() && count * static_cast<std::size_t>(a_end - a) > 100) return most;
    for (std::size_t k = 0; k <= count; ++k) costs[k] = static_cast<std::uint16_t>(k);
    for (; a != a_end; ++a) {
        std::uint16_t before = costs[0];  // for one character less on both sides
        costs[0] = static_cast<std::uint16_t>(costs[0] + 1);
        for (std::size_t k = 0; k < count; ++k) {
            const std::uint16_t above = costs[k + 1];
            std::uint16_t least = static_cast<std::uint16_t>(before + (*a == b[k] ? 0 : 1));
            if (above + 1 < least) least = static_cast<std::uint16_t>(above + 1);
            if (costs[k] + 1 < least) least = static_cast<std::uint16_t>(costs[k] + 1);
            before = above;
            costs[k + 1] = least;
        }
    }
    return costs[count];
}

/// Whether one name is the end of another and begins at a path segment.
template <class Config>
constexpr bool is_end_of_name(std::string_view end, std::string_view name) noexcept {
    return !end.empty() && name.size() > end.size() && name[name.size() - end.size() - 1] == '.' && name.ends_with(end);
}

/// The name in a file that ends in the missing one, or that the missing one ends in; else the nearest one within a
/// limit. Empty if there is none, or if all matches belong to other arrays of the model (`is_taken`).
template <class Config, class Weights, class Taken>
constexpr std::string_view nearest_name(std::string_view missing, const Weights& weights,
                                        const Taken& is_taken) noexcept {
    std::string_view nearest{};
    std::size_t least = missing.size() / 2 + 1;
    for (const io::stored_array& stored : weights) {
        if (is_taken(stored)) continue;
        if (is_end_of_name<Config>(missing, stored.name) || is_end_of_name<Config>(stored.name, missing))
            return stored.name;
        const std::size_t length = missing.size(), other = stored.name.size();
        if ((length < other ? other - length : length - other) >= least) continue;
        const std::size_t distance = name_distance<Config>(missing, stored.name, least);
        if (distance < least) {
            least = distance;
            nearest = stored.name;
        }
    }
    return nearest;
}

}  // namespace ashlar::detail
