// SPDX-License-Identifier: BSL-1.0
// A reduction over few entries, which the stage that reads it computes.
#pragma once

#include <type_traits>

#include <ashlar/eval/frame.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/kernel/rows/reduction.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// The function that combines two entries. Void: the fold of the kernel layer combines them. Others avoid it, because
/// sums need no identity, and a NaN of extremes no mask.
template <reduction_kind Kind>
using combined_by =
    std::conditional_t<Kind == reduction_kind::sum || Kind == reduction_kind::mean, plus_function,
                       std::conditional_t<Kind == reduction_kind::max, maximum_function,
                                          std::conditional_t<Kind == reduction_kind::min, minimum_function, void>>>;

/// The lanes of node Id from these coordinates.
template <node_index Id, auto Steps, class Reader, class Hole, std::size_t Rank>
ASHLAR_STAGE_INLINE auto folded_entries(const Reader& reader, const std::array<std::size_t, Rank>& at,
                                        const Hole& hole) {
    using Element = element_of<typename Reader::template node_of<Id>>;
    constexpr const graph_node& n = Reader::memory.at(Id);
    constexpr const graph_node& operand = Reader::memory.at(n.operands[0]);
    constexpr auto kind = static_cast<reduction_kind>(n.variant);
    constexpr std::size_t entries = operand.extents[n.axis];
    std::array<std::size_t, operand.rank> entry{};
    for (std::size_t a = 0; a < operand.rank; ++a)
        if (a != n.axis) entry[a] = at[operand.rank == Rank || a < n.axis ? a : a - 1];
    const auto value_of = [&](std::size_t i) ASHLAR_STAGE_LAMBDA {
        entry[n.axis] = i;
        return reader.template value<n.operands[0], Reader::template steps_of_operand<Id, 0, Steps>()>(entry, hole);
    };
    if constexpr (std::is_void_v<combined_by<kind>>) {
        typename fold_of<kind>::template type<decltype(value_of(0))> all;
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < entries; ++i) all.step(value_of(i));
        return all.rows();
    } else {
        auto all = value_of(0);
        ASHLAR_UNROLL
        for (std::size_t i = 1; i < entries; ++i) all = combined_by<kind>{}(all, value_of(i));
        if constexpr (kind == reduction_kind::mean)
            return all * (Element(1) / Element(entries));
        else
            return all;
    }
}

}  // namespace ashlar::detail
