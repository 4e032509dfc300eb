// SPDX-License-Identifier: BSL-1.0
// Where a stage finds the elements of a node: in an array or a buffer, behind names, stores and index maps.
#pragma once

#include <ashlar/eval/frame.hpp>

namespace ashlar::detail {

ASHLAR_BEGIN_OFFSETS

/// What stage Stage reads from memory.
template <class Plan, class Element, std::size_t Stage>
struct memory_reader {
    static constexpr auto stage = Plan::code.stages[Stage];
    const frame<Plan, Element>& f;

    template <std::size_t Id>
    using node_of = typename Plan::template node<Id>;

    template <std::size_t Id>
    static constexpr std::int16_t values = stage.values[Id];
    template <std::size_t Id>
    static constexpr std::int16_t factors = stage.factors[Id];
    /// A name for a value that this use does not have in a layout of its own.
    template <std::size_t Id>
    static constexpr bool is_name =
        (Plan::nodes[Id].kind == node_kind::let || Plan::nodes[Id].kind == node_kind::let_value) && values<Id> == -1;

    /// The node in whose memory the elements of Id lie; no_axis if they are computed.
    template <std::size_t Id>
    static consteval std::size_t memory_node() {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (is_name<Id>)
            return memory_node<static_cast<std::size_t>(n.same_as)>();
        else if constexpr (n.kind == node_kind::array && values<Id> == -1)
            return Id;
        else if constexpr (values<Id> != -1)
            return Plan::code.buffers[static_cast<std::size_t>(values<Id>)].role == buffer_role::values ||
                           Plan::code.buffers[static_cast<std::size_t>(values<Id>)].role == buffer_role::numerators
                       ? Id
                       : no_axis;
        else if constexpr (n.kind == node_kind::store || is_index_map(n.kind))
            return memory_node<static_cast<std::size_t>(n.operands[0])>();
        else
            return no_axis;
    }

    /// Strides of Id's axes in that memory; axes for which `fixed` holds may get any.
    template <std::size_t Id, auto Fixed>
    static consteval stride_result memory_strides() {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (is_name<Id>)
            return memory_strides<static_cast<std::size_t>(n.same_as), Fixed>();
        else if constexpr (n.kind == node_kind::array && values<Id> == -1)
            return {n.strides, true};
        else if constexpr (values<Id> != -1)
            return {Plan::code.buffers[static_cast<std::size_t>(values<Id>)].strides, true};
        else if constexpr (n.kind == node_kind::store)
            return memory_strides<static_cast<std::size_t>(n.operands[0]), Fixed>();
        else {
            constexpr auto below_id = static_cast<std::size_t>(n.operands[0]);
            constexpr stride_result below =
                memory_strides<below_id, operand_fixed(n, Plan::nodes[below_id], 0, Fixed)>();
            stride_result up = lift_strides(n, Plan::nodes[below_id], below.strides, Fixed);
            up.affine = up.affine && below.affine;
            return up;
        }
    }

    /// Address of the element of Id at these coordinates.
    template <std::size_t Id, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE auto address(const std::array<std::size_t, Rank>& at) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (is_name<Id>) {
            return address<static_cast<std::size_t>(n.same_as)>(at);
        } else if constexpr (n.kind == node_kind::array && values<Id> == -1) {
            std::ptrdiff_t offset = 0;
            for_each_axis<Rank>([&]<std::size_t Axis>() ASHLAR_LAMBDA_INLINE {
                constexpr std::ptrdiff_t stride = Plan::nodes[Id].strides[Axis];
                if constexpr (stride != 0) offset += static_cast<std::ptrdiff_t>(at[Axis]) * stride;
            });
            const auto& array = f.template node<Id>();
            return static_cast<const element_of<node_of<Id>>*>(array.data()) + offset;
        } else if constexpr (values<Id> != -1) {
            using Other = element_of<node_of<Id>>;
            constexpr auto b = static_cast<std::size_t>(values<Id>);
            return const_cast<const Other*>(f.template buffer<Other, b>()) + f.template buffer_offset<b>(at);
        } else {
            return address<static_cast<std::size_t>(n.operands[0])>(operand_coordinates<0>(f.template node<Id>(), at));
        }
    }
};

ASHLAR_END_OFFSETS

}  // namespace ashlar::detail
