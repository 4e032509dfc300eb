// SPDX-License-Identifier: BSL-1.0
// ALiBi: attention biased towards near keys by the distance times a slope for each head.
#pragma once

#include <concepts>
#include <cstddef>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/attention/attention_options.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/shape_constants.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// 2^(-8 / heads) to the power of `exponent`, heads a power of two: repeated square roots of 2^-8, exact if those are.
ASHLAR_ALWAYS_INLINE constexpr double alibi_slope(std::size_t heads, std::size_t exponent) {
    double root = 1.0 / 256;
    for (std::size_t n = heads; n > 1; n /= 2) {
        // Newton's method; the square root of a power of four is reached exactly.
        double x = root < 1 ? 1 : root;
        for (int i = 0; i < 64; ++i) x = (x + root / x) / 2;
        root = x;
    }
    double slope = 1;
    for (std::size_t i = 0; i < exponent; ++i) slope *= root;
    return slope;
}

/// Adds slope * (key - query - first) to a score.
template <class Element>
struct alibi_function {
    Element slope;
    Element first;

    template <class Lanes>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Lanes score, Lanes query, Lanes key) const {
        return score + (key - query - Lanes(first)) * Lanes(slope);
    }
};

}  // namespace detail

/// The slopes of ALiBi (Press et al. 2022), a tensor [Heads]: 2^(-8 h / Heads) for h = 1, 2, ... if Heads is a power of
/// two; otherwise the slopes of the next lower power, and then every other slope of the next higher one.
///
///     constexpr auto slopes = nn::alibi_slopes<float, 8>();   // 1/2, 1/4, ... 1/256
template <class Element, auto Heads, class Config = current_config>
[[nodiscard]] constexpr tensor<Element, Heads> alibi_slopes() noexcept {
    constexpr std::size_t heads = ashlar::detail::extent_of(Heads);
    std::size_t below = 1;
    while (below * 2 <= heads) below *= 2;
    tensor<Element, Heads> slopes;
    for (std::size_t h = 0; h < heads; ++h)
        slopes.elements[h] = static_cast<Element>(h < below ? detail::alibi_slope(below, h + 1)
                                                            : detail::alibi_slope(2 * below, 2 * (h - below) + 1));
    return slopes;
}

/// ALiBi as a bias, lazily [heads, Queries, Keys]: slope(h) * (key - query), where query 0 has position `first` (the
/// number of keys before it). It is never in memory. Slopes are [heads], or for grouped queries [kv heads, group],
/// which gives [kv heads, group, Queries, Keys].
///
///     constexpr auto slopes = nn::alibi_slopes<float, 8>();
///     auto y = attention(q, k, v, causal, bias(nn::alibi<64, 64>(slopes)));   // q is [8, 64, width]
///     auto next = attention(q_last, cache.keys(), cache.values(), keys_below(n), bias(nn::alibi<1, 512>(slopes, n -
///     1)));
template <auto Queries, auto Keys, any_expression Slopes>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto alibi(Slopes&& slopes, std::size_t first = 0) noexcept {
    using Element = element_of<Slopes>;
    using distances = shape<ashlar::detail::canonical(Queries), ashlar::detail::canonical(Keys)>;
    const auto query = cast<Element>(index_node<0, distances>{});
    const auto key = cast<Element>(index_node<1, distances>{});
    return unsqueeze<-1>(unsqueeze<-1>(std::forward<Slopes>(slopes))) * (key - query - static_cast<Element>(first));
}

/// ALiBi for one head as an option of `attention`: score + slope * (key - query), where query 0 has position `first`.
///
///     auto y = attention(q, k, v, causal, nn::alibi_score_mod(0.5f));
template <std::floating_point Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto alibi_score_mod(Element slope, std::size_t first = 0) noexcept {
    return score_mod(detail::alibi_function<Element>{slope, static_cast<Element>(first)});
}

}  // namespace ashlar::nn
