// SPDX-License-Identifier: BSL-1.0
// Values that a condition chooses or a mask keeps, in stages that skip registers without such elements.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/elementwise/condition.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/plan/choose/conditional_loads.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the plan skips such registers of operand Index of a `where` or a masked node.
template <class Reader, node_index Id, std::size_t Index>
inline constexpr bool is_conditional_load = [] {
    if constexpr (Reader::stage.loads_conditionally)
        return loads_conditionally(Reader::memory, folds_rows(Reader::stage), Id, Index);
    else
        return false;
}();

template <class Lanes>
ASHLAR_ALWAYS_INLINE constexpr Lanes zeros_in_lanes() {
    if constexpr (truth_lanes<Lanes>)
        return Lanes(false);
    else
        return Lanes(typename Lanes::value_type(0));
}

/// Lanes of an operand if `asked` holds for any of the first Wanted lanes; otherwise zeros.
template <node_index Id, std::size_t Index, auto Steps, std::size_t Wanted, class Reader, class Asked, class Hole,
          std::size_t Rank>
ASHLAR_STAGE_INLINE auto value_if(const Reader& reader, [[maybe_unused]] const Asked& asked,
                                  const std::array<std::size_t, Rank>& at, const Hole& hole) {
    using lanes_of_value = decltype(reader.template operand_value<Id, Index, Steps>(at, hole));
    if constexpr (is_conditional_load<Reader, Id, Index>)
        if (none_of(asked & Asked::first(Wanted))) return zeros_in_lanes<lanes_of_value>();
    return reader.template operand_value<Id, Index, Steps>(at, hole);
}

/// One of the two values of a `where`.
template <node_index Id, auto Steps, std::size_t Wanted, class Reader, class Hole, std::size_t Rank>
ASHLAR_STAGE_INLINE auto chosen_value(const Reader& reader, const std::array<std::size_t, Rank>& at, const Hole& hole) {
    using node_type = typename Reader::template node_of<Id>;
    constexpr auto steps = Reader::template steps_of_operand<Id, 0, Steps>();
    const auto& node = node_at<Id>(reader.f.expression);
    if constexpr (steps == decltype(steps){} && truth_is_readable<operand_type<0, node_type>>() &&
                  !std::is_same_v<element_of<node_type>, bool>) {
        // The condition is the same for all lanes, so only one value is computed.
        if (truth_at(node.template operand<0>(), operand_coordinates<0>(node, at)))
            return reader.template operand_value<Id, 1, Steps>(at, hole);
        return reader.template operand_value<Id, 2, Steps>(at, hole);
    } else {
        const auto condition = reader.template operand_value<Id, 0, Steps>(at, hole);
        const auto a = value_if<Id, 1, Steps, Wanted>(reader, condition, at, hole);
        return node.function(condition, a, value_if<Id, 2, Steps, Wanted>(reader, !condition, at, hole));
    }
}

}  // namespace ashlar::detail
