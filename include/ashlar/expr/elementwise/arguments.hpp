// SPDX-License-Identifier: BSL-1.0
// What elementwise functions take, and the error of what they do not.
#pragma once

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/tensor/memory_range.hpp>

namespace ashlar::detail {

/// A number beside an expression.
template <class Argument>
concept scalar_argument = any_element<std::remove_cvref_t<Argument>>;

/// What an elementwise function takes: expressions and numbers, and one expression at least.
template <class... Argument>
concept elementwise_arguments =
    (any_expression<Argument> || ...) && ((any_expression<Argument> || scalar_argument<Argument>) && ...);

/// The same, and memory that is no expression, for the sake of its error.
template <class... Argument>
concept arguments_or_memory =
    (any_expression<Argument> || ...) &&
    ((any_expression<Argument> || scalar_argument<Argument> || number_memory<Argument>) && ...);

/// Whether all operands are expressions or numbers.
template <class... Argument>
struct elementwise_operands {
    static constexpr bool have_shapes = !(foreign_memory<Argument> || ...);
};

/// The first expression among arguments.
template <class First, class... Rest>
struct first_expression {
    using type = First;
};
template <class First, class Second, class... Rest>
    requires(!any_expression<First>)
struct first_expression<First, Second, Rest...> : first_expression<Second, Rest...> {};

/// Of memory that is no expression: an error.
template <class Function, class... Argument>
    requires(foreign_memory<Argument> || ...)
constexpr auto elementwise(Function, Argument&&...) noexcept {
    static_assert(elementwise_operands<Argument...>::have_shapes,
                  "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; "
                  "tensor_view<float, 2, 3>{memory} makes one of other memory");
    using first = typename first_expression<Argument...>::type;
    return refused<element_of<first>, shape_of<first>>();
}

}  // namespace ashlar::detail
