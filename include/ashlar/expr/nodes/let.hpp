// SPDX-License-Identifier: BSL-1.0
// Named sub-results: let(value, body) computes a value once and uses it throughout the body.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Distinguishes lets by the types of the body function and of the value.
template <class Function, class Value>
struct let_tag {};

/// Whether the body of a let accepts the value and returns an expression.
template <class Result>
struct let_body {
    static constexpr bool gives_expression = any_expression<Result>;
};

}  // namespace detail

/// f(value) with the value computed once, however often f uses it: in the tile if possible, else in memory. f is called
/// immediately, with an expression that stands for the value, and returns an expression.
///
///     auto y = let(x - mean<-1>(x, keep_dims), [](const auto& d) { return d * rsqrt(mean<-1>(d * d, keep_dims)); });
template <any_expression Expression, class Function>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto let(Expression&& value, Function&& f) noexcept {
    using function = std::remove_cvref_t<Function>;
    using tag = detail::let_tag<function, detail::held<Expression>>;
    using name = let_value_node<tag, shape_of<Expression>, element_of<Expression>>;
    const name y{};
    // Tested here: a test deeper inside would be printed before every error in the function.
    if constexpr (requires { f(y); }) {
        using body = decltype(f(y));
        static_assert(detail::let_body<body>::gives_expression,
                      "ashlar: let: the function must take one expression and return one: [](const auto& y) { return "
                      "...; }");
        if constexpr (detail::let_body<body>::gives_expression)
            return let_node<tag, detail::held<Expression>, detail::held<body>>{
                {{}, {{detail::hold(std::forward<Expression>(value))}, {detail::hold(f(y))}}}};
        else
            return detail::refused<element_of<Expression>, shape_of<Expression>>();
    } else {
        static_assert(detail::let_body<function>::gives_expression,
                      "ashlar: let: the function must take one expression and return one: [](const auto& y) { return "
                      "...; }");
        return detail::refused<element_of<Expression>, shape_of<Expression>>();
    }
}

}  // namespace ashlar
