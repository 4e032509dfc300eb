// SPDX-License-Identifier: BSL-1.0
// The result of a refused operation, so that its error stays the only one.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1::detail {

/// The function of a refused operation, which marks its node.
struct refused_function {
    static constexpr std::size_t flops = 0;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        return a;
    }
};

/// Zeros in place of a refused operation, with the elements and the shape it most likely should have. Expressions of
/// them can be assigned to anything.
template <class Element, class Shape>
ASHLAR_ALWAYS_INLINE constexpr auto refused() noexcept {
    return map_node<refused_function, Shape, Element, scalar_node<Element>>{{{}, {{scalar_node<Element>{}}}}, {}};
}

template <class Indices, class... Operands>
consteval bool any_refused(const operand_storage<Indices, Operands...>*) {
    return (false || ... || is_refused<Operands>);
}
template <node_expression Expression>
    requires(requires { typename Expression::operands_type; })
inline constexpr bool is_refused<Expression> =
    any_refused(static_cast<const typename Expression::operands_type*>(nullptr));
template <class Shape, class Element>
inline constexpr bool is_refused<map_node<refused_function, Shape, Element, scalar_node<Element>>> = true;

/// The first parameters of functions that are called with something other than an expression.
using refused_elementwise_call = refused_call<
    "ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory">;
using refused_reduction_call = refused_call<
    "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)">;

/// The element type of a refused operation that returns floating-point numbers.
template <class Element>
using floating_or_float = std::conditional_t<std::is_floating_point_v<Element>, Element, float>;

/// The first shape of the highest rank: the most likely result of operands that do not broadcast.
template <class First, class... Rest>
struct longest_shape {
    using type = First;
};
template <class First, class Second, class... Rest>
struct longest_shape<First, Second, Rest...>
    : longest_shape<std::conditional_t<(Second::rank > First::rank), Second, First>, Rest...> {};

}  // namespace ashlar::detail
