// SPDX-License-Identifier: BSL-1.0
// What a mask proves about values computed from masked scores: which elements are exactly minus infinity or zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/minus_infinity.hpp>
#include <ashlar/expr/elementwise/condition.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>

// A matmul skips the rows of one operand where the other is an excluded zero: the pair was masked, and 0 * NaN would
// bring it back. Values at excluded elements are defined, whatever IEEE arithmetic gives: minus infinity from `masked`
// to the softmax (or exp), zero after it. The proof passes through
//
//     masked                                    starts it: minus infinity
//     permute reshape slice roll ...            at the operand's coordinates, as for every index map
//     concat store let let_value                if the parts, the value, the body have it
//     a + b, a - b                              minus infinity, of a (and of b in a sum)
//     a * c, a / c, c a number                  minus infinity if c is positive, which is known only at run time
//     a * b, a / b, -a                          zero, of a (and of b in a product)
//     exp(a), softmax(a)                        minus infinity becomes zero
//     log_softmax(a), cast<Target>(a)           unchanged
//     where(c, a, number)                       where c is false and the number is the proved value; c made of masks,
//                                               bool tensors and logic
//
// and ends at every other node.

namespace ashlar::inline v0_1::detail {

/// The value of excluded elements.
enum class exclusion : std::uint8_t { none, minus_infinity, zero };

template <class Element, exclusion Kind>
inline constexpr Element excluded_value =
    Kind == exclusion::zero ? Element(0) : -std::numeric_limits<Element>::infinity();

template <exclusion Kind, class Element>
ASHLAR_ALWAYS_INLINE constexpr bool is_excluded_value(Element x) noexcept {
    return Kind == exclusion::zero ? x == Element(0) : is_minus_infinity(x);
}

/// No enclosing lets.
struct no_lets {};

/// The let Tag around an expression, with its value's expression, inside the lets of `outer`.
template <class Tag, class Value, class Outer>
struct let_scope {
    using tag = Tag;
    using value_type = Value;
    using outer_type = Outer;
    const Value& value;
    const Outer& outer;
};

/// Whether the name of a let is used inside that let.
template <class Tag, class Scope>
struct let_name {
    static constexpr bool is_bound = !std::is_same_v<Scope, no_lets>;
};

/// The innermost scope of let Tag.
template <class Tag, class Scope>
ASHLAR_ALWAYS_INLINE constexpr const auto& scope_of_let(const Scope& scope) noexcept {
    static_assert(let_name<Tag, Scope>::is_bound,
                  "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
    if constexpr (std::is_same_v<typename Scope::tag, Tag>)
        return scope;
    else
        return scope_of_let<Tag>(scope.outer);
}
template <class Tag, class Scope>
using let_scope_type = std::remove_cvref_t<decltype(scope_of_let<Tag>(std::declval<const Scope&>()))>;

template <class Expression>
inline constexpr bool is_number = kind_of<Expression> == node_kind::scalar;

/// The functions that pass on a proof about their arguments.
enum class proof_function : std::uint8_t {
    none,
    sum,
    difference,
    product,
    quotient,
    negation,
    exponential,
    cast,
    choice,
};
template <class Function>
inline constexpr proof_function proof_function_of = proof_function::none;
template <>
inline constexpr proof_function proof_function_of<plus_function> = proof_function::sum;
template <>
inline constexpr proof_function proof_function_of<minus_function> = proof_function::difference;
template <>
inline constexpr proof_function proof_function_of<times_function> = proof_function::product;
template <>
inline constexpr proof_function proof_function_of<divides_function> = proof_function::quotient;
template <>
inline constexpr proof_function proof_function_of<negate_function> = proof_function::negation;
template <>
inline constexpr proof_function proof_function_of<exp_function> = proof_function::exponential;
template <>
inline constexpr proof_function proof_function_of<fast_function<exp_function>> = proof_function::exponential;
template <class Target>
    requires std::is_floating_point_v<Target>
inline constexpr proof_function proof_function_of<cast_function<Target>> = proof_function::cast;

/// The part of a node's type that decides which proofs it passes on.
struct exclusion_rule {
    proof_function function = proof_function::none;  // for map
    bool number[3] = {};                             // for map: which arguments are numbers
    bool logarithm = false;                          // for softmax
};
template <class Node>
inline constexpr exclusion_rule exclusion_rule_of{};
template <softmax_kind Kind, std::size_t Axis, class Expression, class... Policy>
inline constexpr exclusion_rule exclusion_rule_of<softmax_node<Kind, Axis, Expression, Policy...>>{
    .logarithm = Kind != softmax_kind::plain};
template <class Function, class Shape, class Element, class... Args>
    requires(proof_function_of<Function> != proof_function::none && std::is_floating_point_v<Element>)
inline constexpr exclusion_rule exclusion_rule_of<map_node<Function, Shape, Element, Args...>>{
    .function = proof_function_of<Function>, .number = {is_number<Args>...}};
template <class Shape, class Element, class Condition, class Left, class Right>
    requires(std::is_floating_point_v<Element> && truth_is_readable<Condition>())
inline constexpr exclusion_rule exclusion_rule_of<map_node<where_function, Shape, Element, Condition, Left, Right>>{
    .function = proof_function::choice, .number = {false, is_number<Left>, is_number<Right>}};

/// What is proved about the elements of a map, given the proofs of its arguments.
constexpr exclusion exclusion_after_map(const exclusion_rule& rule, const exclusion* args) {
    constexpr exclusion infinity = exclusion::minus_infinity, zero = exclusion::zero, none = exclusion::none;
    switch (rule.function) {
    case proof_function::sum: return args[0] == infinity || args[1] == infinity ? infinity : none;
    case proof_function::difference: return args[0] == infinity ? infinity : none;
    case proof_function::product:
        if (args[0] == zero || args[1] == zero) return zero;
        return (args[0] == infinity && rule.number[1]) || (args[1] == infinity && rule.number[0]) ? infinity : none;
    case proof_function::quotient: return args[0] == zero || (args[0] == infinity && rule.number[1]) ? args[0] : none;
    case proof_function::negation: return args[0] == zero ? zero : none;
    case proof_function::exponential: return args[0] == infinity ? zero : none;
    case proof_function::cast: return args[0];
    case proof_function::choice:
        if (rule.number[1] == rule.number[2]) return none;
        return args[rule.number[1] ? 2 : 1] == zero ? zero : infinity;
    default: return none;
    }
}

/// The rule itself: what is proved about the elements of a node, given the proofs of its operands.
constexpr exclusion exclusion_after(node_kind kind, const exclusion_rule& rule, const exclusion* operands,
                                    std::size_t count) {
    if (is_index_map(kind)) return operands[0];
    switch (kind) {
    case node_kind::map: return exclusion_after_map(rule, operands);
    case node_kind::masked: return exclusion::minus_infinity;
    case node_kind::store: return operands[0];
    case node_kind::let: return operands[1];
    case node_kind::softmax:
        if (operands[0] != exclusion::minus_infinity) return exclusion::none;
        return rule.logarithm ? exclusion::minus_infinity : exclusion::zero;
    case node_kind::concat: {
        exclusion common = exclusion::none;
        for (std::size_t i = 0; i < count; ++i) {
            if (operands[i] == exclusion::none) continue;
            if (common != exclusion::none && common != operands[i]) return exclusion::none;
            common = operands[i];
        }
        return common;
    }
    default: return exclusion::none;
    }
}

template <class Expression, class Scope>
consteval exclusion find_exclusion();

/// The value of the elements that masks exclude from an expression; `is_kept` finds these elements.
template <class Expression, class Scope = no_lets>
inline constexpr exclusion exclusion_of = find_exclusion<Expression, Scope>();

template <class Expression, class Scope>
consteval exclusion find_exclusion() {
    if constexpr (kind_of<Expression> == node_kind::let_value) {
        using scope = let_scope_type<typename Expression::tag, Scope>;
        return exclusion_of<typename scope::value_type, typename scope::outer_type>;
    } else if constexpr (kind_of<Expression> == node_kind::let) {
        return exclusion_of<operand_type<1, Expression>,
                            let_scope<typename Expression::tag, operand_type<0, Expression>, Scope>>;
    } else if constexpr (node_count<Expression> == 1 || kind_of<Expression> == node_kind::matmul ||
                         kind_of<Expression> == node_kind::reduce) {
        return exclusion::none;
    } else {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            const exclusion operands[] = {exclusion_of<operand_type<Index, Expression>, Scope>...};
            return exclusion_after(kind_of<Expression>, exclusion_rule_of<Expression>, operands, sizeof...(Index));
        }(std::make_index_sequence<Expression::operand_count>{});
    }
}

template <class Expression, class Scope>
ASHLAR_ALWAYS_INLINE constexpr bool is_kept(const Expression& e, const coordinates<Expression>& at,
                                            const Scope& scope) noexcept;

/// Whether the excluded elements of argument Index are excluded from the map.
template <std::size_t Index, class Function, class Shape, class Element, class... Args, class Scope>
consteval bool argument_excludes(const map_node<Function, Shape, Element, Args...>*, const Scope*) {
    using node = map_node<Function, Shape, Element, Args...>;
    exclusion alone[sizeof...(Args)]{};
    alone[Index] = exclusion_of<operand_type<Index, node>, Scope>;
    return alone[Index] != exclusion::none &&
           exclusion_after_map(exclusion_rule_of<node>, alone) == exclusion_of<node, Scope>;
}

template <class Node, class Scope>
ASHLAR_ALWAYS_INLINE constexpr bool map_is_kept(const Node& e, const coordinates<Node>& at,
                                                const Scope& scope) noexcept {
    constexpr exclusion proved = exclusion_of<Node, Scope>;
    const auto argument_is_kept = [&]<std::size_t Index>() ASHLAR_LAMBDA_INLINE {
        if constexpr (exclusion_of<operand_type<Index, Node>, Scope> != exclusion::none)
            return is_kept(e.template operand<Index>(), operand_coordinates<Index>(e, at), scope);
        else
            return true;
    };
    if constexpr (is_map_of<Node, where_function>) {
        constexpr std::size_t number = is_number<operand_type<1, Node>> ? 1 : 2, values = 3 - number;
        const bool is_value = truth_at(e.template operand<0>(), operand_coordinates<0>(e, at)) == (values == 1);
        if (!is_value) return !is_excluded_value<proved>(e.template operand<number>().value);
        return exclusion_of<operand_type<values, Node>, Scope> != proved ||
               argument_is_kept.template operator()<values>();
    } else {
        if constexpr (proved == exclusion::minus_infinity && is_map_of<Node, times_function, divides_function>) {
            constexpr std::size_t number = is_number<operand_type<1, Node>> ? 1 : 0;
            if (!(e.template operand<number>().value > 0)) return true;
        }
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
            return ((!argument_excludes<Index>(static_cast<const Node*>(nullptr), static_cast<const Scope*>(nullptr)) ||
                     argument_is_kept.template operator()<Index>()) &&
                    ...);
        }(std::make_index_sequence<Node::operand_count>{});
    }
}

template <class Node, class Scope>
ASHLAR_ALWAYS_INLINE constexpr bool concat_is_kept(const Node& e, coordinates<Node> at, std::size_t axis,
                                                   const Scope& scope) noexcept {
    bool kept = true, found = false;
    const auto look = [&](const auto& part) ASHLAR_LAMBDA_INLINE {
        const std::size_t extent = std::remove_cvref_t<decltype(part)>::shape_type::extents[axis];
        if (found) return;
        found = at[axis] < extent;
        if (found)
            kept = is_kept(part, at, scope);
        else
            at[axis] -= extent;
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_LAMBDA_INLINE {
        (look(e.template operand<Index>()), ...);
    }(std::make_index_sequence<Node::operand_count>{});
    return kept;
}

template <class Expression>
inline constexpr std::size_t concat_axis = 0;
template <std::size_t Axis, class Shape, class... Parts>
inline constexpr std::size_t concat_axis<concat_node<Axis, Shape, Parts...>> = Axis;

/// Whether no mask excludes the element at `at`. An excluded element has the `excluded_value` of the expression's
/// `exclusion_of`. `scope` holds the lets around the expression, `no_lets{}` at the root.
///
///     is_kept(softmax(masked(scores, causal)), {2, 3}, no_lets{});   // false: query 2 does not see key 3
template <class Expression, class Scope>
ASHLAR_ALWAYS_INLINE constexpr bool is_kept(const Expression& e, const coordinates<Expression>& at,
                                            const Scope& scope) noexcept {
    if constexpr (exclusion_of<Expression, Scope> == exclusion::none) {
        return true;
    } else if constexpr (kind_of<Expression> == node_kind::let_value) {
        const auto& let = scope_of_let<typename Expression::tag>(scope);
        return is_kept(let.value, at, let.outer);
    } else if constexpr (kind_of<Expression> == node_kind::let) {
        const auto& value = e.template operand<0>();
        return is_kept(e.template operand<1>(), at,
                       let_scope<typename Expression::tag, operand_type<0, Expression>, Scope>{value, scope});
    } else if constexpr (kind_of<Expression> == node_kind::map) {
        return map_is_kept(e, at, scope);
    } else if constexpr (kind_of<Expression> == node_kind::concat) {
        return concat_is_kept(e, at, concat_axis<Expression>, scope);
    } else if constexpr (kind_of<Expression> == node_kind::masked) {
        if (!mask_keeps<typename Expression::shape_type>(e.mask, at)) return false;
        return exclusion_of<operand_type<0, Expression>, Scope> != exclusion::minus_infinity ||
               is_kept(e.template operand<0>(), at, scope);
    } else {
        return detail::is_kept(e.template operand<0>(), operand_coordinates<0>(e, at), scope);
    }
}

}  // namespace ashlar::detail
