// SPDX-License-Identifier: BSL-1.0
// Scaled dot-product attention: the expression that one would write by hand.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/attention_checks.hpp>
#include <ashlar/expr/attention_options.hpp>
#include <ashlar/expr/index.hpp>
#include <ashlar/expr/masked.hpp>
#include <ashlar/expr/matmul.hpp>
#include <ashlar/expr/normalize.hpp>
#include <ashlar/expr/operators.hpp>
#include <ashlar/expr/shape_ops.hpp>

namespace ashlar {

namespace detail {

/// Keys or values with a head for each head of the queries.
template <class Queries, class E>
ASHLAR_ALWAYS_INLINE constexpr auto grouped(E&& e) noexcept {
    if constexpr (group_size<Queries, shape_of<E>>() == 1)
        return itself(std::forward<E>(e));
    else
        return repeat<-3, group_size<Queries, shape_of<E>>()>(std::forward<E>(e));
}

template <class Q, class K, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto scaled_scores(Q&& q, K&& k, const O&... options) noexcept {
    constexpr auto depth = dimension_at<shape_of<Q>, shape_of<Q>::rank - 1>;
    auto scores = matmul(std::forward<Q>(q), grouped<shape_of<Q>>(transpose(std::forward<K>(k))));
    if constexpr (has_option<attention_option::scale, O...>)
        return std::move(scores) * option_of<attention_option::scale>(options...).factor;
    else
        return std::move(scores) * rsqrt_extent<depth>;
}

template <class S, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto capped_scores(S&& scores, const O&... options) noexcept {
    if constexpr (has_option<attention_option::softcap, O...>) {
        using T = element_of<S>;
        const T cap = static_cast<T>(option_of<attention_option::softcap>(options...).cap);
        return tanh(std::forward<S>(scores) * (T(1) / cap)) * cap;
    } else {
        return hold(std::forward<S>(scores));
    }
}

template <class S, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto biased_scores(S&& scores, const O&... options) noexcept {
    if constexpr (has_option<attention_option::bias, O...>)
        return std::forward<S>(scores) + option_of<attention_option::bias>(options...).bias;
    else
        return hold(std::forward<S>(scores));
}

template <class S, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto modified_scores(S&& scores, const O&... options) noexcept {
    if constexpr (has_option<attention_option::score_mod, O...>) {
        using T = element_of<S>;
        const auto query = index<-2>(scores);
        const auto key = index<-1>(scores);
        return map(option_of<attention_option::score_mod>(options...).function, std::forward<S>(scores), cast<T>(query),
                   cast<T>(key));
    } else {
        return hold(std::forward<S>(scores));
    }
}

template <class S, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto masked_scores(S&& scores, const O&... options) noexcept {
    if constexpr (has_option<attention_option::mask, O...>)
        return masked(std::forward<S>(scores), option_of<attention_option::mask>(options...));
    else
        return hold(std::forward<S>(scores));
}

template <class Q, class K, class... O>
ASHLAR_ALWAYS_INLINE constexpr auto make_weights(Q&& q, K&& k, const O&... options) noexcept {
    auto scores = masked_scores(
        modified_scores(biased_scores(capped_scores(scaled_scores(std::forward<Q>(q), std::forward<K>(k), options...),
                                                    options...),
                                      options...),
                        options...),
        options...);
    if constexpr (has_option<attention_option::fast, O...>)
        return softmax(std::move(scores), fast);
    else
        return softmax(std::move(scores));
}

/// What attention is of a query that is a vector: one row.
template <class Q>
concept vector_query = expression<Q> && shape_of<Q>::rank == 1;

}  // namespace detail

/// softmax(q k^T / sqrt(D)), the shares that each query takes of the keys: lazily [..., Tq, Tk], where q is
/// [..., Tq, D] and k [..., Tk, D]; a vector q is one query and has no axis in the result. Options and rules are those
/// of `attention`. `store` gives the weights beside the result of an attention written out.
///
///     auto w = attention_weights(q, k, causal);
template <expression Q, expression K, class... Options>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attention_weights(Q&& q, K&& k, Options&&... options) noexcept {
    if constexpr (detail::vector_query<Q>)
        return squeeze<-2>(attention_weights(unsqueeze<0>(std::forward<Q>(q)), std::forward<K>(k),
                                             std::forward<Options>(options)...));
    else if constexpr (!detail::check_operands<Q, K, K>())
        return detail::refused_attention<Q, K, detail::rows_of<shape_of<K>>>();
    else if constexpr (!detail::check_options<std::remove_cvref_t<Options>...>())
        return detail::refused_attention<Q, K, detail::rows_of<shape_of<K>>>();
    else if constexpr (!(detail::check_option<element_of<Q>, detail::scores_shape<Q, K>>(
                             std::type_identity<std::remove_cvref_t<Options>>{}) &&
                         ...))
        return detail::refused_attention<Q, K, detail::rows_of<shape_of<K>>>();
    else
        return detail::make_weights(std::forward<Q>(q), std::forward<K>(k), options...);
}

/// softmax(q k^T / sqrt(D)) v (Vaswani et al. 2017), lazily: the expression one would write by hand. q is [..., Tq, D],
/// k [..., Tk, D] and v [..., Tk, Dv], of 2 to 5 axes; the result is [..., Tq, Dv]. Leading axes are batch and heads and
/// broadcast; the axis before the last two may have fewer entries in k and v than in q if it divides (grouped queries:
/// query head i uses head i / group). A vector q is one query and has no axis in the result.
///
/// Options, in any order, each at most once: a mask, `scale(s)`, `softcap(c)`, `bias(e)`, `score_mod(f)`, `fast`. They apply in
/// the order scale, softcap, bias, score_mod, mask, softmax; `fast` is that of the softmax alone. A query that keeps no key gives zeros. Keys and values
/// that a mask excludes for a query are not read into its result, so NaN in padding cannot leak.
///
///     tensor<float, seq, head> y = attention(q, k, v, causal && keys_below(length));
template <expression Q, expression K, expression V, class... Options>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attention(Q&& q, K&& k, V&& v, Options&&... options) noexcept {
    if constexpr (detail::vector_query<Q>)
        return squeeze<-2>(attention(unsqueeze<0>(std::forward<Q>(q)), std::forward<K>(k), std::forward<V>(v),
                                     std::forward<Options>(options)...));
    else if constexpr (!detail::check_operands<Q, K, V>())
        return detail::refused_attention<Q, K, detail::columns_of<shape_of<V>>>();
    else if constexpr (!detail::check_options<std::remove_cvref_t<Options>...>())
        return detail::refused_attention<Q, K, detail::columns_of<shape_of<V>>>();
    else if constexpr (!(detail::check_option<element_of<Q>, detail::scores_shape<Q, K>>(
                             std::type_identity<std::remove_cvref_t<Options>>{}) &&
                         ...))
        return detail::refused_attention<Q, K, detail::columns_of<shape_of<V>>>();
    else
        return matmul(detail::make_weights(std::forward<Q>(q), std::forward<K>(k), options...),
                      detail::grouped<shape_of<Q>>(std::forward<V>(v)));
}

}  // namespace ashlar
