// SPDX-License-Identifier: BSL-1.0
// Scaled dot-product attention, as the expression one would write by hand.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/minus_infinity.hpp>
#include <ashlar/expr/attention/attention_checks.hpp>
#include <ashlar/expr/attention/attention_options.hpp>
#include <ashlar/expr/attention/scaled_rows.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/shape_constants.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Keys or values, repeated so that each head of the queries has its own.
template <class Queries, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto grouped(Expression&& e) noexcept {
    if constexpr (group_size<Queries, shape_of<Expression>>() == 1)
        return itself(std::forward<Expression>(e));
    else
        return repeat<-3, group_size<Queries, shape_of<Expression>>()>(std::forward<Expression>(e));
}

template <class Query, class Key, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto scaled_scores(Query&& q, Key&& k, const Given&... options) noexcept {
    constexpr auto depth = dimension_at<shape_of<Query>, shape_of<Query>::rank - 1>;
    if constexpr (is_scaled_rows<std::remove_cvref_t<Key>>) {
        return scaled_scores(std::forward<Query>(q), integers_of(k), options...) *
               grouped<shape_of<Query>>(transpose(scales_of(k)));
    } else {
        auto scores = matmul(std::forward<Query>(q), grouped<shape_of<Query>>(transpose(std::forward<Key>(k))));
        if constexpr (has_option<attention_option::scale, Given...>)
            return std::move(scores) * option_of<attention_option::scale>(options...).factor;
        else
            return std::move(scores) * rsqrt_extent<depth>;
    }
}

template <class Scores, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto capped_scores(Scores&& scores, const Given&... options) noexcept {
    if constexpr (has_option<attention_option::softcap, Given...>) {
        using Element = element_of<Scores>;
        const Element given = static_cast<Element>(option_of<attention_option::softcap>(options...).cap);
        const Element cap = is_minus_infinity(-given) ? Element(0) : given;
        return elementwise(softcap_function{}, std::forward<Scores>(scores),
                           cap == Element(0) ? Element(0) : Element(1) / cap, cap);
    } else {
        return hold(std::forward<Scores>(scores));
    }
}

template <class Scores, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto biased_scores(Scores&& scores, const Given&... options) noexcept {
    if constexpr (has_option<attention_option::bias, Given...>)
        return std::forward<Scores>(scores) + option_of<attention_option::bias>(options...).bias;
    else
        return hold(std::forward<Scores>(scores));
}

template <class Scores, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto modified_scores(Scores&& scores, const Given&... options) noexcept {
    if constexpr (has_option<attention_option::score_mod, Given...>) {
        using Element = element_of<Scores>;
        const auto query = index<-2>(scores);
        const auto key = index<-1>(scores);
        return ashlar::map(option_of<attention_option::score_mod>(options...).function, std::forward<Scores>(scores),
                           cast<Element>(query), cast<Element>(key));
    } else {
        return hold(std::forward<Scores>(scores));
    }
}

template <class Scores, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto masked_scores(Scores&& scores, const Given&... options) noexcept {
    if constexpr (has_option<attention_option::mask, Given...>)
        return masked(std::forward<Scores>(scores), option_of<attention_option::mask>(options...));
    else
        return hold(std::forward<Scores>(scores));
}

/// The scores before the softmax.
template <class Query, class Key, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto make_scores(Query&& q, Key&& k, const Given&... options) noexcept {
    return detail::masked_scores(
        detail::modified_scores(
            detail::biased_scores(
                detail::capped_scores(detail::scaled_scores(std::forward<Query>(q), std::forward<Key>(k), options...),
                                      options...),
                options...),
            options...),
        options...);
}

template <class Query, class Key, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto make_weights(Query&& q, Key&& k, const Given&... options) noexcept {
    auto scores = detail::make_scores(std::forward<Query>(q), std::forward<Key>(k), options...);
    if constexpr (has_option<attention_option::fast, Given...>)
        return softmax(std::move(scores), fast);
    else
        return ashlar::softmax(std::move(scores));
}

/// The softmax weights, each multiplied by the scale of its value row. If the scales broadcast to the scores' shape,
/// one node does both.
template <class Scales, class Query, class Key, class... Given>
ASHLAR_ALWAYS_INLINE constexpr auto make_weighted(Scales&& scales, Query&& q, Key&& k,
                                                  const Given&... options) noexcept {
    using scores_type = held<decltype(make_scores(std::forward<Query>(q), std::forward<Key>(k), options...))>;
    using scales_type = held<Scales>;
    using all = broadcast_shape<shape_of<scores_type>, shape_of<scales_type>>;
    if constexpr (all::rank != scores_type::shape_type::rank || all::size != scores_type::shape_type::size) {
        return elementwise(scale_weights_function{},
                           make_weights(std::forward<Query>(q), std::forward<Key>(k), options...),
                           std::forward<Scales>(scales));
    } else {
        auto scores = make_scores(std::forward<Query>(q), std::forward<Key>(k), options...);
        if constexpr (has_option<attention_option::fast, Given...>)
            return weighted_softmax_node<scores_type, scales_type, fast_t>{
                {{}, {{hold(std::move(scores))}, {hold(std::forward<Scales>(scales))}}}};
        else
            return weighted_softmax_node<scores_type, scales_type>{
                {{}, {{hold(std::move(scores))}, {hold(std::forward<Scales>(scales))}}}};
    }
}

/// A query that is a vector: attention treats it as one row.
template <class Query>
concept vector_query = any_expression<Query> && shape_of<Query>::rank == 1;

}  // namespace detail

/// softmax(q k^T / sqrt(D)), the weight of each key for each query: lazily [..., Tq, Tk], where q is [..., Tq, D] and k
/// [..., Tk, D]. A vector q is one query and has no axis in the result. Options and rules are those of `attention`. For
/// the weights and the result together, write attention out with `store`.
///
///     auto w = attention_weights(q, k, causal);
template <any_expression Query, any_expression Key, class... Options>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attention_weights(Query&& q, Key&& k, Options&&... options) noexcept {
    if constexpr (detail::vector_query<Query>)
        return squeeze<-2>(attention_weights(unsqueeze<0>(std::forward<Query>(q)), std::forward<Key>(k),
                                             std::forward<Options>(options)...));
    else if constexpr (!detail::check_operands<Query, Key, Key>())
        return detail::refused_attention<Query, Key, detail::rows_of<shape_of<Key>>>();
    else if constexpr (!detail::check_options<std::remove_cvref_t<Options>...>())
        return detail::refused_attention<Query, Key, detail::rows_of<shape_of<Key>>>();
    else if constexpr (!(detail::check_option<element_of<Query>, detail::scores_shape<Query, Key>>(
                             std::type_identity<std::remove_cvref_t<Options>>{}) &&
                         ...))
        return detail::refused_attention<Query, Key, detail::rows_of<shape_of<Key>>>();
    else
        return detail::make_weights(std::forward<Query>(q), std::forward<Key>(k), options...);
}

/// softmax(q k^T / sqrt(D)) v (Vaswani et al. 2017), lazily: the expression one would write by hand. q is [..., Tq, D],
/// k [..., Tk, D] and v [..., Tk, Dv], of 2 to 5 axes; the result is [..., Tq, Dv]. Leading axes are batch and heads
/// and broadcast. The axis before the last two may be smaller in k and v than in q if it divides that of q (grouped
/// queries: query head i uses head i / group). A vector q is one query and has no axis in the result.
///
/// Options, in any order, each at most once: a mask, `scale(s)`, `softcap(c)`, `bias(e)`, `score_mod(f)`, `fast`. They
/// apply in the order scale, softcap, bias, score_mod, mask, softmax; `fast` affects the softmax only. A query that
/// keeps no key gives zeros. Keys and values that a mask excludes for a query do not affect its result, so NaN in
/// padding cannot leak. A bias of minus infinity is not a mask: it gives a weight of 0, and 0 * NaN is NaN; add
/// `keep_finite(b)` to `bias(b)`. Scores must not overflow (1e38 squared does in float): an infinite score makes its
/// query's results NaN, as in `softmax`. Scores of a product are converted to base-two logarithms, so those at or above
/// the largest number divided by log2(e), 2.3e38 in float, count as infinite.
///
///     tensor<float, seq, head> y = attention(q, k, v, causal && keys_below(length));
template <any_expression Query, any_expression Key, any_expression Value, class... Options>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attention(Query&& q, Key&& k, Value&& v,
                                                            Options&&... options) noexcept {
    if constexpr (detail::vector_query<Query>)
        return squeeze<-2>(attention(unsqueeze<0>(std::forward<Query>(q)), std::forward<Key>(k), std::forward<Value>(v),
                                     std::forward<Options>(options)...));
    else if constexpr (!detail::check_operands<Query, Key, Value>())
        return detail::refused_attention<Query, Key, detail::columns_of<shape_of<Value>>>();
    else if constexpr (!detail::check_options<std::remove_cvref_t<Options>...>())
        return detail::refused_attention<Query, Key, detail::columns_of<shape_of<Value>>>();
    else if constexpr (!(detail::check_option<element_of<Query>, detail::scores_shape<Query, Key>>(
                             std::type_identity<std::remove_cvref_t<Options>>{}) &&
                         ...))
        return detail::refused_attention<Query, Key, detail::columns_of<shape_of<Value>>>();
    else if constexpr (detail::is_scaled_rows<std::remove_cvref_t<Value>>)
        return matmul(detail::make_weighted(detail::grouped<shape_of<Query>>(transpose(detail::scales_of(v))),
                                            std::forward<Query>(q), std::forward<Key>(k), options...),
                      detail::grouped<shape_of<Query>>(detail::integers_of(v)));
    else
        return matmul(detail::make_weights(std::forward<Query>(q), std::forward<Key>(k), options...),
                      detail::grouped<shape_of<Query>>(std::forward<Value>(v)));
}

}  // namespace ashlar
