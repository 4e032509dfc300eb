// SPDX-License-Identifier: BSL-1.0
// Builds the node of an elementwise operation: arguments broadcast, and numbers take the expressions' element type.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/arguments.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/tensor/element_index.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The element type of the first expression, which numbers take; for numbers alone, their common type.
template <class First, class... Rest>
consteval auto element_among() {
    if constexpr (any_expression<First>)
        return std::type_identity<element_of<First>>{};
    else if constexpr ((any_expression<Rest> || ...))
        return element_among<Rest...>();
    else
        return std::type_identity<std::common_type_t<std::remove_cvref_t<First>, std::remove_cvref_t<Rest>...>>{};
}
template <class... Argument>
using element_among_t = typename decltype(element_among<Argument...>())::type;

/// The element type of an argument; Element for a number.
template <class Element, class Argument>
struct argument_element {
    using type = Element;
};
template <class Element, any_expression Argument>
struct argument_element<Element, Argument> {
    using type = element_of<Argument>;
};

/// The element type of the first expression whose elements are not Element; Element if there is none.
template <class Element, class... Argument>
struct other_element {
    using type = Element;
};
template <class Element, class First, class... Rest>
struct other_element<Element, First, Rest...> : other_element<Element, Rest...> {};
template <class Element, class First, class... Rest>
    requires(any_expression<First> && !std::is_same_v<element_of<First>, Element>)
struct other_element<Element, First, Rest...> {
    using type = element_of<First>;
};

/// The type of the first number that would lose its fraction as an Element; Element if there is none.
template <class Element, class... Argument>
struct lost_fraction {
    using type = Element;
};
template <class Element, class First, class... Rest>
struct lost_fraction<Element, First, Rest...> : lost_fraction<Element, Rest...> {};
template <class Element, class First, class... Rest>
    requires(scalar_argument<First> && !value_conversion<std::remove_cvref_t<First>, Element>::keeps_fraction)
struct lost_fraction<Element, First, Rest...> {
    using type = std::remove_cvref_t<First>;
};

/// The first two shapes that do not broadcast, the left one being the result so far; two scalars if all do.
template <class Left, class... Rest>
struct first_clash {
    using left = shape<>;
    using right = shape<>;
};
template <class Left, class Right, class... Rest>
struct first_clash<Left, Right, Rest...> {
    using left = Left;
    using right = Right;
};
template <class Left, class Right, class... Rest>
    requires(shapes_broadcast<Left, Right>())
struct first_clash<Left, Right, Rest...> : first_clash<decltype(broadcast_two<Left, Right>()), Rest...> {};

/// An argument as a node holds it; a number becomes an Element.
template <class Element, class Argument>
ASHLAR_ALWAYS_INLINE constexpr auto as_operand(Argument&& a) noexcept {
    if constexpr (any_expression<Argument>)
        return hold(std::forward<Argument>(a));
    else
        return scalar_node<Element>{static_cast<Element>(a)};
}

template <class Argument>
consteval auto argument_shape() {
    if constexpr (any_expression<Argument>)
        return shape_of<Argument>{};
    else
        return shape<>{};
}

template <class Result, class... Argument>
ASHLAR_ALWAYS_INLINE constexpr auto refused_map() noexcept {
    return refused<Result, typename longest_shape<decltype(argument_shape<Argument>())...>::type>();
}

/// The most likely element type of the result of a function that is not defined for its arguments.
template <class Function, class Result>
consteval auto intended_element() {
    if constexpr (requires { typename Function::result_element; })
        return std::type_identity<Result>{};
    else if constexpr (Function::arguments == takes::floating)
        return std::type_identity<floating_or_float<Result>>{};
    else if constexpr (Function::arguments == takes::truth)
        return std::type_identity<bool>{};
    else if constexpr (!is_taken<Result>(Function::arguments))
        return std::type_identity<int>{};
    else
        return std::type_identity<Result>{};
}

/// f of arguments that are known to fit; numbers become Element, the result's elements are Result.
template <class Result, class Element, class Function, class... Argument>
ASHLAR_ALWAYS_INLINE constexpr auto make_map(Function f, Argument&&... a) noexcept {
    return map_node<Function, broadcast_shape<decltype(argument_shape<Argument>())...>, Result,
                    decltype(as_operand<Element>(std::declval<Argument>()))...>{
        {{}, {{as_operand<Element>(std::forward<Argument>(a))}...}}, f};
}

template <class Function, class Element>
consteval auto result_of() {
    if constexpr (requires { typename Function::result_element; })
        return std::type_identity<typename Function::result_element>{};
    else
        return std::type_identity<Element>{};
}

/// f of arguments of one element type.
template <class Function, class... Argument>
ASHLAR_ALWAYS_INLINE constexpr auto elementwise(Function f, Argument&&... a) noexcept {
    using Element = element_among_t<Argument...>;
    using other = typename other_element<Element, Argument...>::type;
    using result = typename decltype(result_of<Function, Element>())::type;
    using clash = first_clash<decltype(argument_shape<Argument>())...>;
    static_assert(broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: elementwise operation: the shapes must broadcast: from the last axis on, extents are equal "
                  "or 1, and names equal; reshape, transpose or rename an operand");
    static_assert(element_types<Element, other>::same,
                  "ashlar: elementwise operation: the element types must be the same; use cast<T>(x)");
    using fraction = typename lost_fraction<Element, Argument...>::type;
    static_assert(value_conversion<fraction, Element>::keeps_fraction,
                  "ashlar: elementwise operation: a floating-point number with integers would lose its fraction; use "
                  "cast<float>(x)");
    if constexpr (element_types<Element, other>::same && value_conversion<fraction, Element>::keeps_fraction) {
        constexpr bool agree = broadcast_shapes<typename clash::left, typename clash::right>::agree;
        static_assert(!agree || function_elements<Function, Element>::defined,
                      "ashlar: elementwise operation: the function is not defined for these elements; use cast<T>(x)");
        if constexpr (agree && function_elements<Function, Element>::defined)
            return make_map<result, Element>(f, std::forward<Argument>(a)...);
        else
            return refused_map<typename decltype(intended_element<Function, result>())::type, Argument...>();
    } else {
        return refused_map<result, Argument...>();
    }
}

/// The same for two exchangeable arguments, with a number first. A NaN in it is then handled before the loop, and x86's
/// maxps and minps return their second operand if either is NaN.
template <class Function, class Argument, class Other>
ASHLAR_ALWAYS_INLINE constexpr auto elementwise_number_first(Function f, Argument&& a, Other&& b) noexcept {
    if constexpr (any_expression<Argument> && !any_expression<Other>)
        return elementwise(f, std::forward<Other>(b), std::forward<Argument>(a));
    else
        return elementwise(f, std::forward<Argument>(a), std::forward<Other>(b));
}

/// The argument of a function that is written once for expressions, lanes and single numbers.
template <class Argument>
inline constexpr bool is_float_lanes = std::is_same_v<Argument, float> || std::is_same_v<Argument, double>;
template <class Element, std::size_t Width, class Config>
inline constexpr bool is_float_lanes<lanes<Element, Width, Config>> = std::is_floating_point_v<Element>;
template <class Argument>
concept function_argument = any_expression<Argument> || is_float_lanes<std::remove_cvref_t<Argument>>;

/// f(x): the node for an expression, the values for lanes, a number for a number. Further arguments are numbers.
template <class Function, class Argument, class... Number>
ASHLAR_ALWAYS_INLINE constexpr auto apply(Function f, Argument&& x, Number... number) noexcept {
    using argument = std::remove_cvref_t<Argument>;
    if constexpr (any_expression<Argument>)
        return elementwise(f, std::forward<Argument>(x), number...);
    else if constexpr (std::is_floating_point_v<argument>)
        return f(lanes<argument, 1, current_config>(x), lanes<argument, 1, current_config>(number)...)[0];
    else
        return f(x, argument(static_cast<typename argument::value_type>(number))...);
}

// The kernel layer defines these, for values that arithmetic in constant expressions must avoid.
template <class Element, std::size_t Width, class Config>
constexpr auto is_nan(lanes<Element, Width, Config>);
template <class Element, std::size_t Width, class Config>
constexpr bool constant_nan(lanes<Element, Width, Config>);
template <class Element, std::size_t Width, class Config>
constexpr bool without_product(lanes<Element, Width, Config>);
template <class Element, std::size_t Width, class Config>
constexpr lanes<Element, Width, Config> nan_like(lanes<Element, Width, Config>);

}  // namespace detail

}  // namespace ashlar
