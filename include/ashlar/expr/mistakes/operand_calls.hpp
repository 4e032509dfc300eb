// SPDX-License-Identifier: BSL-1.0
// Reports functions of tensors that are called with other memory, or with settings as arguments.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/axis.hpp>
#include <ashlar/expr/mistakes/memory_operands.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

using refused_attention_call = refused_call<
    "ashlar: attention: takes queries, keys and values, each a tensor, view or expression, and then options; write attention(q, k, v, causal), attention_weights(q, k, causal)">;
using refused_module_call = refused_call<
    "ashlar: nn: a module is called with tensors, views or expressions, and then options; tensor_view<float, 2, 3>{memory} makes one of other memory">;

}  // namespace detail

template <auto... Given>
void causal_at(
    detail::refused_call<
        "ashlar: causal_at: takes an integer or an integer tensor; tensor_view<const int, 8>{memory} makes one of other memory">);
template <auto... Given>
void keys_below(
    detail::refused_call<
        "ashlar: keys_below: takes an integer or an integer tensor; tensor_view<const int, 8>{memory} makes one of other memory">);
template <auto... Given>
void exp(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void log(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void sqrt(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void rsqrt(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void tanh(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void erf(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void sigmoid(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void relu(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void gelu(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void gelu_tanh(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void silu(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void abs(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void pow(detail::refused_elementwise_call, detail::any_argument = {});
template <auto... Given>
void clamp(detail::refused_elementwise_call, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void where(detail::refused_elementwise_call, detail::any_argument = {}, detail::any_argument = {});
template <class... Given>
void cast(
    detail::refused_call<
        "ashlar: cast: takes one tensor, view or expression, and the element type as template argument; write cast<float>(x)">,
    detail::any_argument = {});
template <auto... Given>
void map(
    detail::refused_call<
        "ashlar: map: takes a function and then tensors, views or expressions; write map([](auto v) { return v * v; }, x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void matmul(
    detail::refused_call<
        "ashlar: matmul: takes two tensors, views or expressions; tensor_view<float, 2, 3>{memory} makes one of other memory">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void dot(
    detail::refused_call<
        "ashlar: dot: takes two tensors, views or expressions; tensor_view<float, 3>{memory} makes one of other memory">,
    detail::any_argument = {});
template <auto... Given>
void outer(
    detail::refused_call<
        "ashlar: outer: takes two tensors, views or expressions; tensor_view<float, 3>{memory} makes one of other memory">,
    detail::any_argument = {});
template <fixed_string... Given>
void einsum(
    detail::refused_call<
        "ashlar: einsum: the subscripts are a template argument, between < and >, before up to three operands; write einsum<subscripts>(a, b)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void masked(detail::refused_call<
                "ashlar: masked: takes scores, a tensor, view or expression, and a mask; write masked(scores, causal)">,
            detail::any_argument = {});
template <auto... Given>
void masked_fill(
    detail::refused_call<
        "ashlar: masked_fill: takes a tensor, view or expression, a condition and a value; write masked_fill(x, x < 0.0f, 0.0f)">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void attention(detail::refused_attention_call, detail::any_argument = {}, detail::any_argument = {},
               detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void attention_weights(detail::refused_attention_call, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}, detail::any_argument = {});
}  // namespace ashlar
