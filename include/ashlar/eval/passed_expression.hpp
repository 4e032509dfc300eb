// SPDX-License-Identifier: BSL-1.0
// How an expression reaches the function that runs it: two pointers as values, in registers, anything larger by reference.
#pragma once

#include <ashlar/plan/planned.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar::detail {

/// Whether an expression is one or two pointers and nothing else. Through memory they might be gathered in a vector
/// register first, which happens behind the multiply-adds of the call before: the next product would wait for them.
template <class P>
consteval bool passes_in_registers() {
    using E = typename P::expression_type;
    std::size_t pointers = 0;
    for (const graph_node& n : P::nodes) pointers += n.kind == op::array && !n.owned;
    return sizeof(E) <= 2 * sizeof(std::uintptr_t) && pointers * sizeof(std::uintptr_t) == sizeof(E) &&
           std::is_trivially_copy_constructible_v<E> && std::is_trivially_destructible_v<E>;
}

/// The words of an expression: unlike nodes (see `built_in_place`) they may go in registers.
template <class E>
struct expression_words {
    std::uintptr_t words[sizeof(E) / sizeof(std::uintptr_t)];

    ASHLAR_ALWAYS_INLINE expression_words(const E& e) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < sizeof(E) / sizeof(std::uintptr_t); ++i)
            __builtin_memcpy(words + i, reinterpret_cast<const char*>(&e) + i * sizeof(std::uintptr_t), sizeof(std::uintptr_t));
    }
};

/// The expression again, where its words have arrived.
template <class E>
struct arrived_expression {
    alignas(E) unsigned char bytes[sizeof(E)];

    ASHLAR_ALWAYS_INLINE explicit arrived_expression(const expression_words<E>& from) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < sizeof(E) / sizeof(std::uintptr_t); ++i)
            __builtin_memcpy(bytes + i * sizeof(std::uintptr_t), from.words + i, sizeof(std::uintptr_t));
    }
    ASHLAR_ALWAYS_INLINE const E& get() const { return *reinterpret_cast<const E*>(bytes); }
};

/// An expression that is passed by reference.
template <class E>
struct expression_reference {
    const E& e;

    ASHLAR_ALWAYS_INLINE expression_reference(const E& from) : e(from) {}
    ASHLAR_ALWAYS_INLINE const E& get() const { return e; }
};

template <class P, class E = typename P::expression_type>
using passed_expression = std::conditional_t<passes_in_registers<P>(), expression_words<E>, expression_reference<E>>;
template <class P, class E = typename P::expression_type>
using received_expression = std::conditional_t<passes_in_registers<P>(), arrived_expression<E>, expression_reference<E>>;

}  // namespace ashlar::detail
