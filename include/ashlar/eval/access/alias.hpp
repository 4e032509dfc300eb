// SPDX-License-Identifier: BSL-1.0
// Destinations that overlap what an expression reads: whether that is harmless, and whether holding back rows suffices.
#pragma once

#include <cstdint>

#include <ashlar/eval/run.hpp>

namespace ashlar::detail {

/// Whether the plan is one elementwise stage that writes the destination and reads leaf `id` element by element.
template <class Plan>
consteval bool reads_in_place(std::size_t id) {
    if (Plan::code.stage_count != 1 || Plan::code.stages[0].kind != stage_kind::map) return false;
    const auto visit = [&](auto self, std::size_t n, bool same) -> bool {
        const graph_node& g = Plan::nodes[n];
        if (n == id) return same;
        bool good = true;
        for (std::size_t i = 0; i < g.operand_count; ++i) {
            const auto o = static_cast<std::size_t>(g.operands[i]);
            const bool aligned = g.kind == node_kind::map || g.kind == node_kind::masked || g.kind == node_kind::let;
            good =
                good && self(self, o, same && aligned && Plan::nodes[o].size() == Plan::nodes[Plan::count - 1].size());
        }
        if (g.same_as != -1 && g.kind == node_kind::let_value)
            good = good && self(self, static_cast<std::size_t>(g.same_as), same);
        return good;
    };
    return visit(visit, Plan::count - 1, true);
}

/// Whether two arrays share memory.
template <class Config, class Left, class Right>
ASHLAR_ALWAYS_INLINE bool share_memory(const Left& a, const Right& b) {
    const auto address = [](const auto* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return address(a.data() + array_reach<Left>::lowest) < address(b.data() + array_reach<Right>::highest + 1) &&
           address(b.data() + array_reach<Right>::lowest) < address(a.data() + array_reach<Left>::highest + 1);
}

/// What writing the destination could do to what the expression has yet to read.
enum class overlap : std::uint8_t {
    none,  // nothing
    rows,  // a row of the result overwrites what only that row needs
    any,   // anything
};

template <class Plan, class Destination>
ASHLAR_ALWAYS_INLINE overlap find_overlap(const typename Plan::expression_type& e, const Destination& destination) {
    using config = typename Plan::configuration;
    overlap found = overlap::none;
    const auto check = [&]<std::size_t Id>() ASHLAR_LAMBDA_INLINE {
        if constexpr (Plan::nodes[Id].kind == node_kind::array) {
            if constexpr (!Plan::nodes[Id].owned) {
                const auto& array = node_at<Id>(e);
                if (!share_memory<config>(array, destination)) return;
                overlap here = overlap::any;
                if constexpr ((reads_in_place<Plan>(Id) || reads_own_rows<Plan>(Id)) &&
                              std::remove_cvref_t<decltype(array)>::rank() == Destination::rank())
                    if constexpr (std::remove_cvref_t<decltype(array)>::strides == Destination::strides)
                        if (static_cast<const void*>(array.data()) == destination.data())
                            here = reads_in_place<Plan>(Id) ? overlap::none : overlap::rows;
                if (here > found) found = here;
            }
        } else if constexpr (Plan::nodes[Id].borrowing_mask) {
            // Masks read their tensors where they stand, and again where a product passes over what they exclude.
            for_each_borrowed(node_at<Id>(e).mask, [&](const auto& array) ASHLAR_LAMBDA_INLINE {
                if (share_memory<config>(array, destination)) found = overlap::any;
            });
        }
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>)
        ASHLAR_LAMBDA_INLINE { (check.template operator()<Index>(), ...); }(std::make_index_sequence<Plan::count>{});
    return found;
}

}  // namespace ashlar::detail
