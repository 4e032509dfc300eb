// SPDX-License-Identifier: BSL-1.0
// The arrays that an evaluation reads, as they turn out when it runs: whether the destination is one of them, and how
// much memory they are.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::detail {

struct arrays_read {
    std::size_t bytes = 0;        // of all of them; each counts once, however often it is read
    bool is_destination = false;  // one of them begins where the destination does
};

template <class Plan, class Element>
ASHLAR_STAGE_INLINE arrays_read arrays_of(const frame<Plan, Element>& f) {
    arrays_read found;
    const void* seen[Plan::count]{};
    const auto add = [&]<node_index Id>() ASHLAR_STAGE_LAMBDA {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (n.kind == node_kind::array) {
            const void* const begin = node_at<Id>(f.expression).data();
            bool is_new = true;
            for (const void* const other : seen) is_new = is_new && other != begin;
            seen[Id] = begin;
            if (is_new) found.bytes += n.size() * n.element_bytes;
            found.is_destination = found.is_destination || begin == f.destination;
        }
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
        (add.template operator()<index_at<node_index>(Index)>(), ...);
    }(std::make_index_sequence<Plan::count>{});
    return found;
}

}  // namespace ashlar::detail
