// SPDX-License-Identifier: BSL-1.0
// Attention to some of the keys: the expression of attention without the final division, for states to be merged.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/attention/attention_state.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether a state can hold the result of an attention_partial.
template <class State, class Given>
struct assigned_state {
    static constexpr bool matches = merged_states<State, Given>::fit;
};

/// Whether the result of an attention_partial is finished: never.
template <class Result>
struct partial_result {
    static constexpr bool is_finished = false;
};

/// The partial softmax inside an attention. The caller sets where it writes maxima and sums.
template <class Shape, class Weights, class Values>
ASHLAR_ALWAYS_INLINE constexpr Weights& weights_of(matmul_node<Shape, Weights, Values>& e) {
    return static_cast<indexed_operand<0, Weights>&>(e.operands).value;
}

/// The result of attention_partial: an expression of the weighted values, evaluated into states.
template <class State, class Expression>
struct partial_attention {
    using state_type = State;
    using expression_type = Expression;
    Expression expression;

    /// The expression that returns the values of a state and writes its maxima and sums.
    template <class Target>
    ASHLAR_ALWAYS_INLINE constexpr Expression bound_to(Target& to) const {
        Expression e = copy_of(expression);
        auto& weights = weights_of(e);
        weights.maxima = to.maximum.data();
        weights.sums = to.sum.data();
        return e;
    }
    /// The values of a state in the shape of the expression, where a vector query is one row.
    template <class Target>
    ASHLAR_ALWAYS_INLINE static constexpr auto values_of(Target& to) {
        return typename contiguous_view<typename Target::value_type, typename Expression::shape_type>::type(
            to.values.data());
    }
    template <class Target>
    static consteval bool check_target() {
        static_assert(assigned_state<Target, State>::matches,
                      "ashlar: attention_state: the state must have the shape [..., queries, width] and the element "
                      "type of the attention; declare attention_state<T, shape...> with them");
        return assigned_state<Target, State>::matches;
    }

    /// Reports the conversion to a tensor.
    template <class Element, auto... Dims>
    constexpr operator basic_tensor<Element, Dims...>() const noexcept {
        static_assert(partial_result<basic_tensor<Element, Dims...>>::is_finished,
                      "ashlar: attention_partial: it gives a state, whose values are not divided by their sums yet; "
                      "write finish(attention_partial(q, k, v))");
        return basic_tensor<Element, Dims...>{};
    }

    template <class Config, destination_memory Memory, class Target>
    constexpr void write(Target& to) const noexcept {
        auto values = values_of(to);
        assignment<decltype(values), Expression, Config>::template run<Memory>(values, bound_to(to));
    }
};

/// The queries broadcast to the batch axes of the result. If the values have more batch entries than the scores, each
/// entry has its own maxima and sums.
template <class Query, class Key, class Value>
ASHLAR_ALWAYS_INLINE constexpr auto queries_of_partial(Query&& q) noexcept {
    using query = shape_of<Query>;
    using scores = decltype(score_batch<query, shape_of<Key>>());
    using batch = broadcast_shape<scores, grouped_batch<query, shape_of<Value>>>;
    if constexpr (scores::rank == batch::rank && scores::size == batch::size) {
        return itself(std::forward<Query>(q));
    } else {
        using rows = decltype(inserted_dimension<batch, batch::rank, rows_of<query>>());
        return broadcast_as<decltype(inserted_dimension<rows, rows::rank, columns_of<query>>())>(
            std::forward<Query>(q));
    }
}

template <class Query, class Key, class Value, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto make_partial(Query&& q, Key&& k, Value&& v, const Given&... options) noexcept {
    auto scores =
        make_scores(queries_of_partial<Query, Key, Value>(std::forward<Query>(q)), std::forward<Key>(k), options...);
    using scores_type = held<decltype(scores)>;
    using policy = std::conditional_t<has_option<attention_option::fast, Given...>, fast_t, void>;
    const auto is_weighted = [](auto weights, auto&& values) ASHLAR_LAMBDA_INLINE {
        auto e = make_matmul(std::move(weights), grouped<shape_of<Query>>(std::forward<decltype(values)>(values)));
        return partial_attention<typename state_of_shape<element_of<Query>, typename decltype(e)::shape_type>::type,
                                 decltype(e)>{copy_of(e)};
    };
    if constexpr (is_scaled_rows<std::remove_cvref_t<Value>>) {
        auto scales = hold(grouped<shape_of<Query>>(transpose(scales_of(v))));
        return is_weighted(
            partial_softmax_node<policy, scores_type, decltype(scales)>{
                {{}, {{hold(std::move(scores))}, {std::move(scales)}}}, nullptr, nullptr},
            integers_of(v));
    } else {
        return is_weighted(
            partial_softmax_node<policy, scores_type>{{{}, {{hold(std::move(scores))}}}, nullptr, nullptr},
            std::forward<Value>(v));
    }
}

template <any_expression Query, any_expression Key, auto Columns>
constexpr auto refused_partial() noexcept {
    return
        typename state_of_shape<floating_or_float<element_of<Query>>,
                                decltype(intended_attention_shape<shape_of<Query>, shape_of<Key>, Columns>())>::type{};
}

}  // namespace detail

/// attention(q, k, v, options...) over these keys only. Lazy: assign it to an `attention_state<T, [..., Tq, Dv]>`,
/// evaluate it into one, or let `eval` make one. Operands, options and rules are those of `attention`; a vector q is
/// one query. Masks count queries and keys from the first given ones: for a later chunk of keys, `causal_at(i - j)`
/// lets queries from i on see keys from j on. Runs as `attention` does, with the same time and scratch.
///
///     attention_state<float, seq, head> all = attention_partial(q, k0, v0);
///     all = merge(all, attention_partial(q, k1, v1, keys_below(n)));
///     evaluate(all, attention_partial(q, k, v), scratch);
template <any_expression Query, any_expression Key, any_expression Value, class... Options>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attention_partial(Query&& q, Key&& k, Value&& v,
                                                                    Options&&... options) noexcept {
    if constexpr (detail::vector_query<Query>) {
        auto rows = attention_partial(unsqueeze<0>(std::forward<Query>(q)), std::forward<Key>(k),
                                      std::forward<Value>(v), std::forward<Options>(options)...);
        if constexpr (requires { rows.expression; }) {
            using shape = typename decltype(rows.expression)::shape_type;
            using vectors = decltype(detail::without_axis<shape, shape::rank - 2, false>());
            return detail::partial_attention<typename detail::state_of_shape<element_of<Query>, vectors>::type,
                                             decltype(rows.expression)>{detail::copy_of(rows.expression)};
        } else {
            return rows;
        }
    } else if constexpr (!detail::check_operands<Query, Key, Value>())
        return detail::refused_partial<Query, Key, detail::columns_of<shape_of<Value>>>();
    else if constexpr (!detail::check_options<std::remove_cvref_t<Options>...>())
        return detail::refused_partial<Query, Key, detail::columns_of<shape_of<Value>>>();
    else if constexpr (!(detail::check_option<element_of<Query>, detail::scores_shape<Query, Key>>(
                             std::type_identity<std::remove_cvref_t<Options>>{}) &&
                         ...))
        return detail::refused_partial<Query, Key, detail::columns_of<shape_of<Value>>>();
    else
        return detail::make_partial(std::forward<Query>(q), std::forward<Key>(k), std::forward<Value>(v), options...);
}

}  // namespace ashlar
