// SPDX-License-Identifier: BSL-1.0
// Memory of the evaluator of constant expressions, and how much stack it takes.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/value_tensor.hpp>

namespace ashlar::inline v0_1::detail {

/// A let whose value has been evaluated.
template <class Tag, class Value, class Values, class Outer>
struct evaluated_let : let_scope<Tag, Value, Outer> {
    const Values& values;
};

/// Whether an expression's values are in memory already: dense arrays, numbers and names of lets.
template <class Expression>
consteval bool has_values() {
    if constexpr (kind_of<Expression> == node_kind::array)
        return is_row_major(Expression::extents, Expression::strides) && !is_narrow<typename Expression::value_type>;
    else
        return kind_of<Expression> == node_kind::scalar || kind_of<Expression> == node_kind::let_value;
}

/// The operand of a node that can be computed in the node's own memory, because each element needs only its own element
/// of it; no_axis if there is none.
template <class Node>
consteval std::size_t operand_in_place() {
    if constexpr (Node::kind == node_kind::map) {
        std::size_t found = no_axis;
        const auto look = [&]<std::size_t Index>() {
            using operand = operand_type<Index, Node>;
            if (found == no_axis && std::is_same_v<element_of<operand>, element_of<Node>> && !has_values<operand>() &&
                operand::shape_type::size == Node::shape_type::size)
                found = Index;
        };
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (look.template operator()<Index>(), ...);
        }(std::make_index_sequence<Node::operand_count>{});
        return found;
    } else {
        constexpr node_kind kind = Node::kind;
        return kind == node_kind::masked || kind == node_kind::softmax || kind == node_kind::standardize ||
                       kind == node_kind::reshape || kind == node_kind::store
                   ? 0
                   : no_axis;
    }
}

/// Bytes of stack for tensors of `constant_evaluate` at run time, besides the result: for every node on the way down,
/// the operands that are neither in memory nor computed in the node's own memory.
template <class Expression>
consteval std::size_t constant_stack_bytes() {
    if constexpr (kind_of<Expression> == node_kind::let_value || operand_count_of<Expression>() == 0) {
        return 0;
    } else {
        std::size_t here = 0, below = 0;
        const auto add = [&]<std::size_t Index>() {
            using operand = operand_type<Index, Expression>;
            const bool is_body = kind_of<Expression> == node_kind::let && Index == 1;
            if (!has_values<operand>() && !is_body && Index != operand_in_place<Expression>())
                here += sizeof(value_tensor<operand>);
            const std::size_t deeper = constant_stack_bytes<operand>();
            if (deeper > below) below = deeper;
        };
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (add.template operator()<Index>(), ...);
        }(std::make_index_sequence<Expression::operand_count>{});
        return here + below;
    }
}

}  // namespace ashlar::detail
