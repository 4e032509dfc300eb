// SPDX-License-Identifier: BSL-1.0
// The order in which the stages of a plan run, and where the packed weights of one lie.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::detail {

/// The node of the packed weights of stage s.
template <class Plan>
constexpr std::size_t weights_of(std::size_t s) {
    return Plan::resolve(
        static_cast<std::size_t>(Plan::nodes[static_cast<std::size_t>(Plan::code.stages[s].core)].operands[1]));
}

/// Appends the stages below a loop in the order in which they run.
template <class Plan>
constexpr void append_stages(std::int16_t parent, std::array<std::size_t, Plan::code.stages.size()>& order,
                             std::size_t& count) {
    for (std::size_t i = 0; i < Plan::code.item_count; ++i) {
        const plan_item& item = Plan::code.items[i];
        if (item.parent != parent) continue;
        if (item.is_loop()) {
            append_stages<Plan>(item.index, order, count);
        } else {
            for (const std::int16_t s : stages_of(Plan::code, item).stages)
                if (s != -1) order[count++] = static_cast<std::size_t>(s);
        }
    }
}

/// The stages of Plan in the order in which they run.
template <class Plan>
inline constexpr auto stage_order = [] {
    std::array<std::size_t, Plan::code.stages.size()> order{};
    std::size_t count = 0;
    append_stages<Plan>(-1, order, count);
    return order;
}();

}  // namespace ashlar::detail
