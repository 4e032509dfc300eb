// SPDX-License-Identifier: BSL-1.0
// Destinations that overlap operands: whether that is harmless, and whether staging rows suffices.
#pragma once

#include <cstdint>

#include <ashlar/eval/run.hpp>
#include <ashlar/plan/build/overlap.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether two arrays share memory.
template <class Config, class Left, class Right>
ASHLAR_ALWAYS_INLINE bool share_memory(const Left& a, const Right& b) {
    const auto address = [](const auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return address(a.data() + array_reach<Left>::lowest) < address(b.data() + array_reach<Right>::highest + 1) &&
           address(b.data() + array_reach<Right>::lowest) < address(a.data() + array_reach<Left>::highest + 1);
}

template <class Plan, class Destination>
ASHLAR_ALWAYS_INLINE overlap find_overlap(const typename Plan::expression_type& e, const Destination& destination) {
    using config = typename Plan::configuration;
    overlap found = overlap::none;
    for_each_index<Plan::count>([&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
        constexpr auto Id = index_at<node_index>(Index);
        if constexpr (Plan::nodes[Id].kind == node_kind::array) {
            if constexpr (!Plan::nodes[Id].owned) {
                const auto& array = node_at<Id>(e);
                if (!share_memory<config>(array, destination)) return;
                overlap here = overlap::any;
                constexpr overlap same = overlap_with<Plan>(Id);
                using read = std::remove_cvref_t<decltype(array)>;
                if constexpr (same != overlap::any && read::rank() == Destination::rank() &&
                              sizeof(typename read::value_type) == sizeof(typename Destination::value_type))
                    if constexpr (std::remove_cvref_t<decltype(array)>::strides == Destination::strides)
                        if (static_cast<const void*>(array.data()) == destination.data()) here = same;
                if (here > found) found = here;
            }
        } else if constexpr (Plan::nodes[Id].borrowing_mask) {
            // Masks read their tensors once here, and again where a product skips excluded pairs.
            for_each_borrowed(node_at<Id>(e).mask, [&](const auto& array) ASHLAR_LAMBDA_INLINE {
                if (share_memory<config>(array, destination)) found = overlap::any;
            });
        }
    });
    return found;
}

}  // namespace ashlar::detail
