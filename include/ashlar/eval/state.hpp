// SPDX-License-Identifier: BSL-1.0
// Evaluates attention to some of the keys into a state that the caller provides.
#pragma once

#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/attention/attention_partial.hpp>

namespace ashlar::inline v0_1 {

/// Evaluates an `attention_partial` into a state. The other arguments are those of `evaluate`; a workspace needs
/// workspace_bytes<Expression>.
///
///     const auto part = attention_partial(q, k, v, causal);
///     static workspace<workspace_bytes<decltype(part)>> scratch;
///     evaluate(state, part, scratch);
template <class Element, auto... Dims, class State, class Expression, class... Rest>
constexpr void evaluate(basic_attention_state<Element, Dims...>& state,
                        const detail::partial_attention<State, Expression>& part, Rest&&... rest) noexcept {
    using part_type = detail::partial_attention<State, Expression>;
    if constexpr (part_type::template check_target<basic_attention_state<Element, Dims...>>())
        evaluate(part_type::values_of(state), part.bound_to(state), rest...);
}

/// The state that an `attention_partial` gives.
///
///     auto state = eval(attention_partial(q, k, v));
template <class State, class Expression, class Config = current_config>
[[nodiscard]] constexpr State eval(const detail::partial_attention<State, Expression>& part) noexcept {
    State state(part);
    return state;
}

}  // namespace ashlar
