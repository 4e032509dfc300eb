// SPDX-License-Identifier: BSL-1.0
// The statistics of rows and the elementwise stage that applies them in one pass, a few rows at a time. Waits at the
// ends of rows overlap with the work of other rows, and rows are read again while they are in cache.
#pragma once

#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/softmax_stage.hpp>
#include <ashlar/eval/stages/standardize_stage.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, fusion_index Item, std::size_t Rows>
struct statistics_into_map {
    static constexpr plan_fusion fused = Plan::code.fusions[Item];
    static constexpr auto folding = fused.stages[1];
    static constexpr auto first_stage = Plan::code.stages[folding];
    using statistics =
        std::conditional_t<first_stage.kind == stage_kind::softmax, softmax_stage<Plan, Element, folding, Rows>,
                           standardize_stage<Plan, Element, folding, Rows>>;
    using map = map_stage<Plan, Element, fused.stages[2], Rows>;
    static constexpr std::size_t group = statistics::how.together, groups = Rows / group;

    const frame<Plan, Element>& f;

    /// The frame that places a group of rows.
    ASHLAR_STAGE_INLINE frame<Plan, Element> frame_of(std::size_t g) const {
        frame<Plan, Element> own = f;
        if constexpr (fused.reuses_rows) own.index[first_stage.bindings[first_stage.row_axis]] += g / 2 * (2 * group);
        return own;
    }

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        const std::size_t first = statistics{{{f}}}.first_row();
        const auto columns = statistics{{{f}}}.column_range(first, Rows);
        typename statistics::template of_rows<group> numbers{};
        for (std::size_t g = 0; g < groups + 2; ++g) {
            const frame<Plan, Element> before = frame_of(g < 2 ? 0 : g - 2), here = frame_of(g < 1 ? 0 : g - 1),
                                       behind = frame_of(g);
            const map last{{before}};
            const statistics middle{{{here}}}, next{{{behind}}};
            const std::size_t row = first + g * group;
            if constexpr (fused.one_loop[tile_of<Plan, folding, Rows>()])
                if (g >= 2 && g < groups) {
                    typename statistics::template first_pass<statistics, group> walk(next, row);
                    const typename map::template rows_walk<group> finished(last, row - 2 * group);
                    middle.second_pass(row - group, columns, numbers, [&](std::size_t c, auto n) ASHLAR_STAGE_LAMBDA {
                        finished.template block<1>(c, n);
                        walk.at(c, n);
                    });
                    numbers = walk.finish();
                    continue;
                }
            if (g >= 2) last.template rows<group>(row - 2 * group);
            if (g >= 1 && g <= groups) middle.second_pass(row - group, columns, numbers);
            if (g < groups) {
                typename statistics::template first_pass<statistics, group> walk(next, row);
                walk.walk(columns);
                numbers = walk.finish();
            }
        }
        if constexpr (Rows % group != 0)
            for_each_group<Rows % group, group / 2>([&](std::size_t r, auto count) ASHLAR_STAGE_LAMBDA {
                const frame<Plan, Element> own = frame_of(groups / 2 * 2);
                const std::size_t row = first + groups * group + r;
                const statistics rest{{{own}}};
                typename statistics::template first_pass<statistics, count> walk(rest, row);
                walk.walk(columns);
                rest.second_pass(row, columns, walk.finish());
                map{{own}}.template rows<count>(row);
            });
    }
};

}  // namespace ashlar::detail
