// SPDX-License-Identifier: BSL-1.0
// How an expression is passed to the function that runs it: two pointers by value in registers, anything larger by
// reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether an expression is only one or two pointers. Passed through memory, they might be gathered in a vector
/// register after the multiply-adds of the previous call, and the next product would wait for them.
template <class Plan>
consteval bool passes_in_registers() {
    using Expression = typename Plan::expression_type;
    std::size_t pointers = 0;
    for (const graph_node& n : Plan::nodes) pointers += n.kind == node_kind::array && !n.owned;
    return sizeof(Expression) <= 2 * sizeof(std::uintptr_t) &&
           pointers * sizeof(std::uintptr_t) == sizeof(Expression) && is_trivially_copied<Expression> &&
           std::is_trivially_destructible_v<Expression>;
}

/// The words of an expression. Unlike nodes (see `built_in_place`) they may be passed in registers.
template <class Expression>
struct expression_words {
    std::uintptr_t words[sizeof(Expression) / sizeof(std::uintptr_t)];

    ASHLAR_ALWAYS_INLINE expression_words(const Expression& e) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < sizeof(Expression) / sizeof(std::uintptr_t); ++i)
            __builtin_memcpy(words + i, reinterpret_cast<const char*>(&e) + i * sizeof(std::uintptr_t),
                             sizeof(std::uintptr_t));
    }
};

/// The expression, rebuilt from its words.
template <class Expression>
struct arrived_expression {
    alignas(Expression) unsigned char bytes[sizeof(Expression)];

    ASHLAR_ALWAYS_INLINE explicit arrived_expression(const expression_words<Expression>& from) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < sizeof(Expression) / sizeof(std::uintptr_t); ++i)
            __builtin_memcpy(bytes + i * sizeof(std::uintptr_t), from.words + i, sizeof(std::uintptr_t));
    }
    ASHLAR_ALWAYS_INLINE const Expression& get() const { return *reinterpret_cast<const Expression*>(bytes); }
};

/// An expression that is passed by reference.
template <class Expression>
struct expression_reference {
    const Expression& e;

    ASHLAR_ALWAYS_INLINE expression_reference(const Expression& from) : e(from) {}
    ASHLAR_ALWAYS_INLINE const Expression& get() const { return e; }
};

template <class Plan, class Expression = typename Plan::expression_type>
using passed_expression =
    std::conditional_t<passes_in_registers<Plan>(), expression_words<Expression>, expression_reference<Expression>>;
template <class Plan, class Expression = typename Plan::expression_type>
using received_expression =
    std::conditional_t<passes_in_registers<Plan>(), arrived_expression<Expression>, expression_reference<Expression>>;

}  // namespace ashlar::detail
