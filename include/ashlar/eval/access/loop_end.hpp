// SPDX-License-Identifier: BSL-1.0
// Where a loop ends at run time: after the requested rows of the result, or after the last key that a mask keeps for
// any of them.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/masks/mask.hpp>

namespace ashlar::inline v0_1::detail {

/// An unknown index: any entry.
inline constexpr std::size_t any_entry = static_cast<std::size_t>(-1);

/// Calls f with the coordinates of each entry of some axes of Shape; `at` gives those that are known.
template <class Shape, std::size_t Axis = 0, std::size_t Rank, class Function>
ASHLAR_ALWAYS_INLINE constexpr void for_each_entry(std::array<std::size_t, Rank> at, const Function& f) {
    if constexpr (Axis == Rank) {
        f(at);
    } else if (at[Axis] != any_entry) {
        for_each_entry<Shape, Axis + 1>(at, f);
    } else {
        for (at[Axis] = 0; at[Axis] < Shape::extents[Axis]; ++at[Axis]) for_each_entry<Shape, Axis + 1>(at, f);
    }
}

/// The keys of masked scores of shape Scores, from the first one, after which `mask` keeps none for the first `queries`
/// of a batch entry.
template <class Scores, class Mask>
ASHLAR_ALWAYS_INLINE constexpr std::size_t end_of_keys(const Mask& mask,
                                                       const std::array<std::size_t, Scores::rank - 2>& batch,
                                                       std::size_t queries) {
    if (queries == 0) return 0;
    const std::ptrdiff_t last = mask.template span<Scores>(batch, std::size_t{0}, queries).last;
    constexpr auto keys = static_cast<std::ptrdiff_t>(key_extent<Scores>);
    return last <= 0 ? 0 : last < keys ? static_cast<std::size_t>(last) : key_extent<Scores>;
}

/// The needed keys of masked node Id. `at` gives the known entries of the result's batch axes; `rows(entry)` is the
/// number of computed rows of an entry.
template <class Plan, node_index Id, std::size_t Rank, class Rows>
ASHLAR_ALWAYS_INLINE constexpr std::size_t keys_needed(const typename Plan::expression_type& e,
                                                       const std::array<std::size_t, Rank>& at, const Rows& rows) {
    using Scores = typename Plan::template node<Id>::shape_type;
    constexpr node_needs needs = Plan::needs[Id];
    constexpr std::size_t root_rank = Plan::nodes[Plan::root].rank;
    std::array<std::size_t, Scores::rank - 2> batch{};
    for (std::size_t a = 0; a + 2 < Scores::rank; ++a)
        batch[a] = needs.root_axis[a] < Rank ? at[needs.root_axis[a]] : any_entry;
    std::size_t most = 0;
    for_each_entry<Scores>(batch, [&](const auto& entry) ASHLAR_LAMBDA_INLINE {
        std::size_t queries = query_extent<Scores>;
        if constexpr (needs.of[Scores::rank - 2] == entry_limits::rows() &&
                      needs.root_axis[Scores::rank - 2] + 2 == root_rank) {
            std::array<std::size_t, Rank> here = at;
            for (std::size_t a = 0; a + 2 < Scores::rank; ++a)
                if (needs.root_axis[a] < Rank) here[needs.root_axis[a]] = entry[a];
            queries = rows(here);
        }
        const std::size_t end = end_of_keys<Scores>(node_at<Id>(e).mask, entry, queries);
        if (end > most) most = end;
    });
    return most;
}

/// Calls f<Id>() for every masked node of Plan whose keys limit a loop.
template <class Plan, entry_limits Limits, class Function>
ASHLAR_ALWAYS_INLINE constexpr void for_each_mask_of(const Function& f) {
    for_each_index<Plan::count>([&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
        constexpr auto Id = index_at<node_index>(Index);
        if constexpr (Plan::nodes[Id].kind == node_kind::masked)
            if constexpr (Limits.have_keys(number_of_mask(Plan::nodes.data(), Id))) f.template operator()<Id>();
    });
}

/// The innermost loop around a loop that runs over an axis of the result; no_loop if there is none.
template <class Plan>
consteval loop_index loop_over(loop_index inside, std::size_t root_axis) {
    for (loop_index l = Plan::code.loops[inside].parent; l != no_loop; l = Plan::code.loops[l].parent)
        if (Plan::code.loops[l].root_axis == root_axis && !Plan::code.loops[l].rows) return l;
    return no_loop;
}

/// The end of loop Loop.
template <loop_index Loop, class Plan, class Element>
ASHLAR_STAGE_INLINE std::size_t loop_end(const frame<Plan, Element>& f) {
    constexpr plan_loop loop = Plan::code.loops[Loop];
    using Result = typename Plan::expression_type::shape_type;
    std::array<std::size_t, Result::rank - 2> at{};
    [&]<std::size_t... Axis>(std::index_sequence<Axis...>) ASHLAR_LAMBDA_INLINE {
        [[maybe_unused]] const auto find = [&]<std::size_t Number>() ASHLAR_LAMBDA_INLINE {
            constexpr loop_index around = loop_over<Plan>(Loop, Number);
            if constexpr (around == no_loop)
                at[Number] = any_entry;
            else
                at[Number] = f.index[around];
        };
        (find.template operator()<Axis>(), ...);
    }(std::make_index_sequence<Result::rank - 2>{});
    [[maybe_unused]] const auto rows = [&](const auto& entry)
                                           ASHLAR_LAMBDA_INLINE { return f.limit.template most<Result>(entry); };
    std::size_t end = 0;
    if constexpr (loop.limits.have_rows()) end = rows(at);
    for_each_mask_of<Plan, loop.limits>([&]<node_index Id>() ASHLAR_LAMBDA_INLINE {
        const std::size_t keys = keys_needed<Plan, Id>(f.expression, at, rows);
        if (keys > end) end = keys;
    });
    return end < loop.extent ? end : loop.extent;
}

}  // namespace ashlar::detail
