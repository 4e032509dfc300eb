// SPDX-License-Identifier: BSL-1.0
// The memory of a node in a stage: an array or a buffer, through names, stores and index maps.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::inline v0_1::detail {

ASHLAR_BEGIN_OFFSETS

/// What stage Stage reads from memory.
template <class Plan, class Element, stage_index Stage>
struct memory_reader {
    static constexpr auto stage = Plan::code.stages[Stage];
    const frame<Plan, Element>& f;

    template <node_index Id>
    using node_of = typename Plan::template node<Id>;

    template <node_index Id>
    static constexpr buffer_index values = Plan::code.read_of(stage, Id).values;
    template <node_index Id>
    static constexpr buffer_index factors = Plan::code.read_of(stage, Id).factors;
    /// A name for a value that has no layout of its own for this use.
    template <node_index Id>
    static constexpr bool is_name =
        (Plan::nodes[Id].kind == node_kind::let || Plan::nodes[Id].kind == node_kind::let_value) &&
        values<Id> == no_buffer;

    static constexpr node_memory memory{Plan::nodes.data(), Plan::code.reads + stage.first_read, Plan::code.buffers};

    /// The address of the element of Id at these coordinates.
    template <node_index Id, std::size_t Rank>
    ASHLAR_STAGE_INLINE auto address(const std::array<std::size_t, Rank>& at) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (is_name<Id>) {
            return address<n.same_as>(at);
        } else if constexpr (n.kind == node_kind::array && values<Id> == no_buffer) {
            const auto& array = node_at<Id>(f.expression);
            return static_cast<const typename node_of<Id>::value_type*>(array.data()) +
                   offset_of(at, Plan::nodes[Id].strides);
        } else if constexpr (values<Id> != no_buffer) {
            using Other = stored<n.narrows(), node_of<Id>>;
            constexpr auto b = values<Id>;
            return const_cast<const Other*>(f.template buffer<Other, b>()) + f.template buffer_offset<b>(at);
        } else {
            return address<n.operands[0]>(operand_coordinates<0>(node_at<Id>(f.expression), at));
        }
    }
};

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
