// SPDX-License-Identifier: BSL-1.0
// Functions of tensors that are given other memory, or their settings as arguments: errors that say how.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar {

namespace detail {

/// The call of a module with what is no expression: an error.
template <auto... Given>
constexpr auto refused_module_call() noexcept {
    static_assert(called_as_declared<Given...>::holds,
                  "ashlar: nn: a module is called with tensors, views or expressions, and then options; "
                  "tensor_view<float, 2, 3>{memory} makes one of other memory");
    return refused<float, shape<>>();
}

}  // namespace detail

template <auto... Given>
constexpr auto exp(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto log(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto sqrt(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto rsqrt(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto tanh(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto erf(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto sigmoid(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto relu(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto gelu(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto gelu_tanh(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto silu(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto abs(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto pow(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto clamp(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto where(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: elementwise operation: takes tensors, views or expressions, and numbers beside them; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <class... Given>
constexpr auto cast(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_with_types<Given...>::holds,
        "ashlar: cast: takes one tensor, view or expression, and the element type as template argument; write cast<float>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto map(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: map: takes a function and then tensors, views or expressions; write map([](auto v) { return v * v; }, x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto matmul(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: matmul: takes two tensors, views or expressions; tensor_view<float, 2, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto dot(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: dot: takes two tensors, views or expressions; tensor_view<float, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto outer(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: outer: takes two tensors, views or expressions; tensor_view<float, 3>{memory} makes one of other memory");
    return detail::refused<float, shape<>>();
}
template <fixed_string... Given>
constexpr auto einsum(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: einsum: the subscripts are a template argument, between < and >, before up to three operands; write einsum<subscripts>(a, b)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto masked(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: masked: takes scores, a tensor, view or expression, and a mask; write masked(scores, causal)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto masked_fill(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: masked_fill: takes a tensor, view or expression, a condition and a value; write masked_fill(x, x < 0.0f, 0.0f)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto attention(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: attention: takes queries, keys and values, each a tensor, view or expression, and then options; write attention(q, k, v, causal), attention_weights(q, k, causal)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto attention_weights(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                                 detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: attention: takes queries, keys and values, each a tensor, view or expression, and then options; write attention(q, k, v, causal), attention_weights(q, k, causal)");
    return detail::refused<float, shape<>>();
}
}  // namespace ashlar
