// SPDX-License-Identifier: BSL-1.0
// The statistics of rows and the elementwise stage that applies them in one pass, a few rows at a time: what rows wait
// for at their ends passes beside the work of other rows, and what has been read is still near.
#pragma once

#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/softmax_stage.hpp>
#include <ashlar/eval/stages/standardize_stage.hpp>

namespace ashlar::detail {

/// Whether stage M may write some rows before stage S has read others: it writes nothing that S reads of other rows.
template <class Plan>
consteval bool writes_apart(std::size_t s, std::size_t m) {
    const auto& statistics = Plan::code.stages[s];
    const auto& map = Plan::code.stages[m];
    if (map.buffer == -1) return true;
    const plan_buffer& written = Plan::code.buffers[static_cast<std::size_t>(map.buffer)];
    for (std::size_t n = 0; n < Plan::count; ++n)
        for (const std::int16_t b : {statistics.values[n], statistics.factors[n]}) {
            if (b == -1) continue;
            const plan_buffer& read = Plan::code.buffers[static_cast<std::size_t>(b)];
            const bool in_place =
                read.offset == written.offset && read.strides == written.strides && read.bindings == written.bindings;
            const bool disjoint =
                read.offset + read.bytes <= written.offset || written.offset + written.bytes <= read.offset;
            if (!in_place && !disjoint) return false;
        }
    return true;
}

/// The elementwise stage that comes right behind the statistics of item `item` and runs over the same rows; no_axis if
/// there is none.
template <class Plan>
consteval std::size_t map_behind(std::size_t item) {
    const auto& here = Plan::code.items[item];
    if (here.is_loop()) return no_axis;
    const auto& rows = Plan::code.stages[static_cast<std::size_t>(here.index)];
    if ((rows.kind != stage_kind::softmax && rows.kind != stage_kind::standardize) || rows.lanes != lane_axis::columns)
        return no_axis;
    if (rows.row_axis == no_axis || rows.column_axis == no_axis) return no_axis;
    for (std::size_t i = item + 1; i < Plan::code.item_count; ++i) {
        const auto& next = Plan::code.items[i];
        if (next.parent != here.parent) continue;
        if (next.is_loop()) return no_axis;
        const auto m = static_cast<std::size_t>(next.index);
        const auto& map = Plan::code.stages[m];
        const bool fits = map.kind == stage_kind::map && map.lanes == lane_axis::columns &&
                          map.row_axis == rows.row_axis && map.column_axis == rows.column_axis &&
                          map.bindings == rows.bindings &&
                          map.factors[static_cast<std::size_t>(rows.core)] == rows.second_buffer;
        return fits && writes_apart<Plan>(static_cast<std::size_t>(here.index), m) ? m : no_axis;
    }
    return no_axis;
}

template <class Plan, class Element, std::size_t Statistics, std::size_t Map, std::size_t Rows>
struct row_pair {
    static constexpr auto first_stage = Plan::code.stages[Statistics];
    using statistics =
        std::conditional_t<first_stage.kind == stage_kind::softmax, softmax_stage<Plan, Element, Statistics, Rows>,
                           standardize_stage<Plan, Element, Statistics, Rows>>;
    using map = map_stage<Plan, Element, Map, Rows>;
    static constexpr std::size_t group = statistics::side_by_side, groups = Rows / group;

    /// Whether there are rows to work on while others wait, and the factors are those of the rows at hand.
    static constexpr bool pays = groups >= 2 && map::found.normalised == static_cast<std::size_t>(first_stage.core);

    const frame<Plan, Element>& f;

    /// Whether numerators of some rows can take the place of those that have been used: nobody else reads them, and
    /// nothing else is found by its distance from the first row.
    static constexpr bool reuses_rows = [] {
        if (first_stage.kind != stage_kind::softmax || first_stage.buffer == -1) return false;
        const std::int16_t loop = first_stage.bindings[first_stage.row_axis];
        if (loop == whole_axis) return false;
        const auto own = [](std::int16_t b) { return b == first_stage.buffer || b == first_stage.second_buffer; };
        for (std::size_t s = 0; s < Plan::code.stage_count; ++s) {
            const auto& stage = Plan::code.stages[s];
            const bool here = s == Statistics || s == Map;
            const auto breaks = [&](std::int16_t b) {
                if (b == -1) return false;
                bool tiled = false;
                for (const std::int16_t bound : Plan::code.buffers[static_cast<std::size_t>(b)].bindings)
                    tiled = tiled || bound == loop;
                return here ? tiled && !own(b) : own(b);
            };
            if (breaks(stage.buffer) || breaks(stage.second_buffer) || breaks(stage.maxima)) return false;
            for (std::size_t n = 0; n < Plan::count; ++n)
                if (breaks(stage.values[n]) || breaks(stage.factors[n])) return false;
        }
        return true;
    }();

    /// Whether the three passes, over three groups of rows, are one loop: exponentials leave ports idle.
    static constexpr bool fuses =
        first_stage.kind == stage_kind::softmax && group >= 4 && map::at_once >= group && first_stage.support == -1;

    /// The frame in which a group of rows is found.
    ASHLAR_ALWAYS_INLINE frame<Plan, Element> frame_of(std::size_t g) const {
        frame<Plan, Element> own = f;
        if constexpr (reuses_rows)
            own.index[static_cast<std::size_t>(first_stage.bindings[first_stage.row_axis])] += g / 2 * (2 * group);
        return own;
    }

    ASHLAR_ALWAYS_INLINE void run() const {
        const std::size_t first = statistics{{{f}}}.first_row();
        const auto columns = statistics{{{f}}}.column_range(first, Rows);
        typename statistics::template of_rows<group> numbers{};
        for (std::size_t g = 0; g < groups + 2; ++g) {
            const frame<Plan, Element> before = frame_of(g < 2 ? 0 : g - 2), here = frame_of(g < 1 ? 0 : g - 1),
                                       behind = frame_of(g);
            const map last{{before}};
            const statistics middle{{{here}}}, next{{{behind}}};
            const std::size_t row = first + g * group;
            if constexpr (fuses)
                if (g >= 2 && g < groups) {
                    typename statistics::template first_walk<group> walk(next, row);
                    const typename map::template rows_walk<group> finished(last, row - 2 * group);
                    middle.second_pass(row - group, columns, numbers, [&](std::size_t c, auto n) ASHLAR_LAMBDA_INLINE {
                        finished.template block<1>(c, n);
                        walk.at(c, n);
                    });
                    numbers = walk.finish();
                    continue;
                }
            if (g >= 2) last.template rows<group>(row - 2 * group);
            if (g >= 1 && g <= groups) middle.second_pass(row - group, columns, numbers);
            if (g < groups) {
                typename statistics::template first_walk<group> walk(next, row);
                walk.walk(columns);
                numbers = walk.finish();
            }
        }
        if constexpr (Rows % group != 0)
            for_each_group<Rows % group, group / 2>([&](std::size_t r, auto count) ASHLAR_LAMBDA_INLINE {
                const frame<Plan, Element> own = frame_of(groups / 2 * 2);
                const std::size_t row = first + groups * group + r;
                const statistics rest{{{own}}};
                typename statistics::template first_walk<count> walk(rest, row);
                walk.walk(columns);
                rest.second_pass(row, columns, walk.finish());
                map{{own}}.template rows<count>(row);
            });
    }
};

}  // namespace ashlar::detail
