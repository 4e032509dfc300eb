// SPDX-License-Identifier: BSL-1.0
// Rows of each step's result that a sequence with a limit computes: those that the following steps need.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/eval/eval.hpp>
#include <ashlar/plan/sequence/input_limits.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>

namespace ashlar::inline v0_1::detail {

/// The limits of the results before each step, and of the last result.
template <class Sequence, class Rows>
struct sequence_limits {
    const Rows* rows;
    std::size_t least[sequence_plan<Sequence>::step_count + 1];

    ASHLAR_ALWAYS_INLINE limit_reference<Rows> before(std::size_t step) const { return {rows, least[step]}; }
};
template <class Sequence>
struct sequence_limits<Sequence, all_rows> {
    ASHLAR_ALWAYS_INLINE limit_reference<all_rows> before(std::size_t) const { return {}; }
};

/// Rows of its input x, a Source, that a step needs for a limited result. They may exceed the result's rows, for all
/// entries if for one.
template <class Plan, class Source, class Rows>
std::size_t rows_of_input(const typename Plan::expression_type& e, const Source& x,
                          const limit_reference<Rows>& limit) {
    using Shape = typename Plan::expression_type::shape_type;
    using config = typename Plan::configuration;
    constexpr std::size_t rank = Shape::rank, all = Shape::extents[rank - 2];
    constexpr entry_limits needed = input_limits<Plan, Source>;
    if (needed.are_all()) return all;
    // A reader that reinterprets its memory may need all of it.
    bool others = false;
    for_each_index<Plan::count>([&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
        constexpr auto Id = index_at<node_index>(Index);
        if constexpr (Plan::nodes[Id].kind == node_kind::array && !node_is<Plan, Source>[Id]) {
            if constexpr (!Plan::nodes[Id].owned) others = others || share_memory<config>(node_at<Id>(e), x);
        } else if constexpr (Plan::nodes[Id].borrowing_mask) {
            for_each_borrowed(node_at<Id>(e).mask, [&](const auto& array) ASHLAR_LAMBDA_INLINE {
                others = others || share_memory<config>(array, x);
            });
        }
    });
    if (others) return all;
    std::size_t least = limit.least;
    [[maybe_unused]] const auto rows = [&](const auto& entry)
                                           ASHLAR_LAMBDA_INLINE { return limit.template most<Shape>(entry); };
    std::array<std::size_t, rank - 2> any{};
    any.fill(any_entry);
    for_each_entry<Shape>(any, [&](const auto& entry) ASHLAR_LAMBDA_INLINE {
        for_each_mask_of<Plan, needed>([&]<node_index Id>() ASHLAR_LAMBDA_INLINE {
            const std::size_t keys = keys_needed<Plan, Id>(e, entry, rows);
            if (keys > rows(entry) && keys > least) least = keys;
        });
    });
    return least < all ? least : all;
}

/// The limits of all steps, computed from the last one backwards. Steps that act when they are called may append all
/// rows to state that outlives them.
template <class Config, class Sequence, class Rows>
sequence_limits<Sequence, Rows> limits_of_steps([[maybe_unused]] const Sequence& s,
                                                [[maybe_unused]] const limit_reference<Rows>& limit,
                                                [[maybe_unused]] std::byte* memory) {
    using plan = sequence_plan<Sequence>;
    using source = typename plan::source;
    if constexpr (!Rows::are_limited) {
        return {};
    } else {
        sequence_limits<Sequence, Rows> out{};
        out.rows = limit.rows;
        std::size_t next = plan::step_count;
        out.least[next] = limit.least;
        const source x(reinterpret_cast<const typename plan::value_type*>(memory));
        [[maybe_unused]] const auto visit = [&]<std::size_t Index>() {
            using step = typename plan::template step<Index>;
            for (std::size_t i = step::count; i-- > 0; --next) {
                if constexpr (step::acts) {
                    out.least[next - 1] = plan::shape_type::extents[plan::shape_type::rank - 2];
                } else {
                    using expression = typename step::expression;
                    using of_step = planned<expression, Config, row_major<expression>(), Rows>;
                    out.least[next - 1] =
                        rows_of_input<of_step>(s.template step<Index>()(x, i, nullptr), x, out.before(next));
                }
            }
        };
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (visit.template operator()<plan::kinds - 1 - Index>(), ...);
        }(std::make_index_sequence<plan::kinds>{});
        return out;
    }
}

}  // namespace ashlar::detail
