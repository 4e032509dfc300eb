// SPDX-License-Identifier: BSL-1.0
// The arrays that an evaluation reads, known at run time: whether the destination is one of them, and their total size.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::inline v0_1::detail {

struct arrays_read {
    std::size_t bytes = 0;        // of all of them; each counts once, however often it is read
    bool is_destination = false;  // one of them begins where the destination does
};

template <class Plan, class Element>
ASHLAR_STAGE_INLINE arrays_read arrays_of(const frame<Plan, Element>& f) {
    const void* begins[Plan::count]{};
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
        [[maybe_unused]] const auto find = [&]<node_index Id>() ASHLAR_STAGE_LAMBDA {
            if constexpr (Plan::nodes[Id].kind == node_kind::array) begins[Id] = node_at<Id>(f.expression).data();
            return true;
        };
        [[maybe_unused]] const bool found[] { find.template operator()<index_at<node_index>(Index)>()... };
    }(std::make_index_sequence<Plan::count>{});
    arrays_read all;
    for (node_index n{}; n < Plan::count; ++n) {
        if (Plan::nodes[n].kind != node_kind::array) continue;
        bool is_new = true;
        for (node_index other{}; other < n; ++other) is_new = is_new && begins[other] != begins[n];
        if (is_new) all.bytes += Plan::nodes[n].size() * Plan::nodes[n].element_bytes;
        all.is_destination = all.is_destination || begins[n] == f.destination;
    }
    return all;
}

}  // namespace ashlar::detail
