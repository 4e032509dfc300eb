// SPDX-License-Identifier: BSL-1.0
// The options of attention and their kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

enum class attention_option : std::uint8_t { unknown, mask, scale, softcap, bias, score_mod, fast };

template <class Factor>
struct scale_option {
    [[no_unique_address]] Factor factor;
};
template <class Cap>
struct softcap_option {
    Cap cap;
};
template <class Bias>
struct bias_option {
    [[no_unique_address]] Bias bias;
};
template <class Function>
struct score_mod_option {
    [[no_unique_address]] Function function;
};

template <class Option>
inline constexpr attention_option option_kind =
    mask_argument<Option> ? attention_option::mask : attention_option::unknown;
template <class Factor>
inline constexpr attention_option option_kind<scale_option<Factor>> = attention_option::scale;
template <class Cap>
inline constexpr attention_option option_kind<softcap_option<Cap>> = attention_option::softcap;
template <class Bias>
inline constexpr attention_option option_kind<bias_option<Bias>> = attention_option::bias;
template <class Function>
inline constexpr attention_option option_kind<score_mod_option<Function>> = attention_option::score_mod;
template <>
inline constexpr attention_option option_kind<fast_t> = attention_option::fast;

/// A number by value, an expression as a node holds it.
template <class Argument>
ASHLAR_ALWAYS_INLINE constexpr auto number_or_held(Argument&& a) noexcept {
    if constexpr (any_expression<Argument>)
        return hold(std::forward<Argument>(a));
    else
        return std::remove_cvref_t<Argument>(a);
}

template <attention_option Kind, class... Option>
inline constexpr bool has_option = ((option_kind<Option> == Kind) || ...);

/// A copy of the option of a kind.
template <attention_option Kind, class First, class... Rest>
ASHLAR_ALWAYS_INLINE constexpr auto option_of(const First& first, const Rest&... rest) noexcept {
    if constexpr (option_kind<First> != Kind)
        return option_of<Kind>(rest...);
    else if constexpr (Kind == attention_option::mask)
        return as_mask(first);
    else
        return first;
}

}  // namespace detail

/// Option of `attention`: the scores are multiplied by s instead of 1 / sqrt(depth). s is a number, or an expression
/// that broadcasts to the scores (one factor per head, for example).
///
///     auto y = attention(q, k, v, scale(0.125f));
template <class Scale>
    requires(detail::scalar_argument<Scale> || any_expression<Scale>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto scale(Scale&& s) noexcept {
    return detail::scale_option<decltype(detail::number_or_held(std::forward<Scale>(s)))>{
        detail::number_or_held(std::forward<Scale>(s))};
}

/// Option of `attention`: the scaled scores s become c * tanh(s / c), in [-c, c]. c must not be negative (asserted); 0
/// and infinity leave the scores unchanged.
///
///     auto y = attention(q, k, v, softcap(50.0f));   // Gemma 2
template <detail::scalar_argument Number>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto softcap(Number c) noexcept {
    ASHLAR_ASSERT(c >= Number(0), "ashlar: softcap: the cap must be positive, or 0 for none");
    return detail::softcap_option<Number>{c};
}

/// Option of `attention`: adds an expression that broadcasts to the scores, after scale and softcap. A named tensor is
/// borrowed. A bias excludes nothing: minus infinity gives a weight of 0, but keys and values are read, and NaN or
/// infinity in them gives NaN. If minus infinity means "not this pair", as in PyTorch's additive masks, add the mask
/// `keep_finite(e)`, which also saves the work.
///
///     auto y = attention(q, k, v, bias(m), keep_finite(m));    // PyTorch's attn_mask=m
///     auto z = attention(q, k, v, bias(relative_positions));   // [heads, queries, keys]
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto bias(Expression&& e) noexcept {
    return detail::bias_option<detail::held<Expression>>{detail::hold(std::forward<Expression>(e))};
}

/// Option of `attention`: each score becomes f(score, query, key), after scale, softcap and bias. f is generic. It
/// receives lanes of the score's type, also for the indices, so that their difference is signed.
///
///     const auto sloped = [=](auto s, auto query, auto key) { return s - slope * (query - key); };   // ALiBi
///     auto y = attention(q, k, v, score_mod(sloped));
template <class Function>
    requires(!any_expression<Function>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto score_mod(Function f) noexcept {
    return detail::score_mod_option<Function>{f};
}

}  // namespace ashlar
