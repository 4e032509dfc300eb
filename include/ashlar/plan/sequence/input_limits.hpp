// SPDX-License-Identifier: BSL-1.0
// What a step of a sequence needs of its input if the rows of its result are limited.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

/// For each node of a plan: whether it is a Node.
template <class Plan, class Node>
inline constexpr auto node_is = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<bool, Plan::count>{
        std::is_same_v<typename Plan::template node<index_at<node_index>(Index)>, Node>...};
}(std::make_index_sequence<Plan::count>{});

/// The rows of the input, an array of type Source, that a limited plan needs: for each batch entry what its limits say
/// of the result's entry, or all.
template <class Plan, class Source>
inline constexpr entry_limits input_limits = [] {
    constexpr std::size_t rank = Source::shape_type::rank;
    entry_limits limits{};
    for (node_index n{}; n < Plan::count; ++n) {
        if (!node_is<Plan, Source>[n]) continue;
        const node_needs& needs = Plan::needs[n];
        if (!needs.known) return entry_limits::all();
        limits.add(needs.of[rank - 2]);
        for (std::size_t a = 0; a + 2 < rank; ++a)
            if (Source::shape_type::extents[a] != 1 && needs.root_axis[a] != a) return entry_limits::all();
    }
    return limits;
}();

/// The same for the last of some expressions, which is the step.
template <class Source, class Config, class Rows, class... Expression>
consteval entry_limits limits_of_input() {
    using last = typename decltype((std::type_identity<Expression>{}, ...))::type;
    return input_limits<planned<last, Config, row_major<last>(), Rows>, Source>;
}

}  // namespace ashlar::detail
