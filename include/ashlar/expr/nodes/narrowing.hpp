// SPDX-License-Identifier: BSL-1.0
// Values that are stored to memory of f16 or bf16.
#pragma once

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1::detail {

/// Wraps an expression for a destination of f16 or bf16: the same values, which the store rounds.
template <class Narrow>
struct narrowing_function {
    using stored = Narrow;
    static constexpr std::size_t flops = 0;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        return a;
    }
};
template <class Narrow>
inline constexpr bool takes_idle_lanes<narrowing_function<Narrow>> = true;

/// The expression as evaluated into memory of Narrow.
template <class Narrow, class Expression>
using narrowing = map_node<narrowing_function<Narrow>, typename Expression::shape_type, float, Expression>;
template <class Narrow, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto narrowed(const Expression& e) noexcept {
    return narrowing<Narrow, Expression>{{{}, {{copy_of(e)}}}, {}};
}

template <class Expression>
inline constexpr bool is_narrowing = false;
template <class Narrow, class Shape, class Expression>
inline constexpr bool is_narrowing<map_node<narrowing_function<Narrow>, Shape, float, Expression>> = true;

/// The element type of a node's values in memory that stages write: the narrow type of a narrowing, else the node's
/// own. Not a template over nodes, which would be another type for each.
template <bool Narrows>
struct stored_elements {
    template <class Node>
    using type = element_of<Node>;
};
template <>
struct stored_elements<true> {
    template <class Node>
    using type = typename decltype(Node::function)::stored;
};
template <bool Narrows, class Node>
using stored = typename stored_elements<Narrows>::template type<Node>;

}  // namespace ashlar::detail
