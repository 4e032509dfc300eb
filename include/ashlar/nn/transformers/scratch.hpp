// SPDX-License-Identifier: BSL-1.0
// Scratch for evaluations inside modules: on the stack for each evaluation, or in the caller's workspace.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/workspace.hpp>

namespace ashlar::inline v0_1::nn::detail {

using ashlar::detail::dense_view;

/// The type that holds the values of Expression: Expression itself if they are in memory.
template <class Expression>
using held_view = std::conditional_t<array_expression<Expression>, Expression,
                                     dense_view<const element_of<Expression>, shape_of<Expression>>>;

/// Bytes of the values of Expression, rounded up to where scratch may begin after them; 0 if they are in memory.
template <class Expression>
inline constexpr std::size_t held_bytes = [] {
    constexpr std::size_t unit = ashlar::detail::scratch_alignment;
    return array_expression<Expression>
               ? std::size_t{0}
               : (shape_of<Expression>::size * sizeof(element_of<Expression>) + unit - 1) / unit * unit;
}();

/// Bytes of scratch for evaluating Expression into memory that holds its values.
template <class Expression, class Config>
consteval std::size_t scratch_of_held() {
    if constexpr (array_expression<Expression>)
        return 0;
    else
        return ashlar::detail::destination_scratch<dense_view<element_of<Expression>, shape_of<Expression>>, Expression,
                                                   Config>;
}

/// Whether held values and the scratch of an evaluation fit on the stack.
template <std::size_t Held, std::size_t Scratch, std::size_t Budget>
struct held_on_stack {
    static constexpr bool fits = Held <= Budget && Scratch <= Budget;
};

/// On the stack.
struct stack_scratch {
    template <class Config, class Destination, class Expression>
    constexpr void write(Destination destination, const Expression& e) const noexcept {
        ashlar::evaluate<Destination&, Expression, Config>(destination, e);
    }
    /// f(values of e, the remaining scratch).
    template <class Config, class Expression, class Function>
    constexpr void with_values(const Expression& e, Function f) const noexcept {
        if constexpr (array_expression<Expression>)
            f(e, *this);
        else
            f(ashlar::eval<Expression, Config>(e), *this);
    }
};

inline constexpr stack_scratch on_stack{};

/// In the caller's memory; callers compute its size from types.
struct workspace_scratch {
    std::byte* memory;

    template <class Config, class Destination, class Expression>
    constexpr void write(Destination destination, const Expression& e) const noexcept {
        constexpr std::size_t bytes = ashlar::detail::destination_scratch<Destination, Expression, Config>;
        with_workspace<bytes>([&](workspace<bytes>& scratch) ASHLAR_LAMBDA_INLINE {
            evaluate<Destination&, Expression, bytes, Config>(destination, e, scratch);
        });
    }
    template <class Config, class Expression, class Function>
    constexpr void with_values(const Expression& e, Function f) const noexcept {
        if constexpr (array_expression<Expression>) {
            f(e, *this);
        } else if (__builtin_is_constant_evaluated()) {
            with_constant_values<Config>(e, f);
        } else {
            using Element = element_of<Expression>;
            Element* const values = reinterpret_cast<Element*>(memory);
            const workspace_scratch behind{memory + held_bytes<Expression>};
            behind.template write<Config>(dense_view<Element, shape_of<Expression>>(values), e);
            f(held_view<Expression>(values), behind);
        }
    }

    /// f(a workspace of Bytes bytes).
    template <std::size_t Bytes, class Function>
    ASHLAR_ALWAYS_INLINE constexpr void with_workspace(Function f) const noexcept {
        if (__builtin_is_constant_evaluated())
            with_constant_workspace<Bytes>(f);
        else
            f(*std::launder(reinterpret_cast<workspace<Bytes>*>(memory)));
    }

private:
    template <std::size_t Bytes, class Function>
    static constexpr void with_constant_workspace(Function f) noexcept {
        workspace<Bytes> unused{};
        f(unused);
    }
    template <class Config, class Expression, class Function>
    constexpr void with_constant_values(const Expression& e, Function f) const noexcept {
        ashlar::detail::value_tensor<Expression> values{};
        write<Config>(view_of(values), e);
        f(held_view<Expression>(values.data()), *this);
    }
};

}  // namespace ashlar::nn::detail
