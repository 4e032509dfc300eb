// SPDX-License-Identifier: BSL-1.0
// The logistic function and activations based on it: silu, and gelu by its tanh approximation.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The logistic function of x, given e^-|x|.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> sigmoid_from(lanes<Element, Width, Config> x,
                                                                          lanes<Element, Width, Config> e) {
    return select(x < Element(0), e, Element(1)) / (Element(1) + e);
}

}  // namespace detail

/// 1 / (1 + e^-x), from e^-|x| so that nothing overflows: at most 2.5 ulp. Below -87.3 (double: -708.3) the result is 0
/// or less than the least normal number, below -88.1 (-709.2) exactly 0. With `fast` the relative error is at most
/// 1.2e-4.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> sigmoid(lanes<Element, Width, Config> x,
                                                                                   Policy...) {
    if (detail::constant_nan(x)) return x;
    if constexpr (sizeof...(Policy) == 0)
        return detail::sigmoid_from(x, detail::exp_vanishing(-abs(x)));
    else
        return detail::sigmoid_from(x, exp_nonpositive(-abs(x), fast));
}

/// x * sigmoid(x), also called swish: at most 3.5 ulp from -87.3 (double: -708.3). Below, the result vanishes as the
/// sigmoid does. Minus infinity times 0 is NaN, as in PyTorch. With `fast` the relative error is at most 1.2e-4.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> silu(lanes<Element, Width, Config> x,
                                                                                Policy... policy) {
    if (detail::without_product(x)) return detail::nan_like(x);
    return x * sigmoid(x, policy...);
}

/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), GPT-2's approximation of gelu, as x sigmoid(2 ...). At most 3.5 ulp
/// from -1 and 5e-7 below; NaN for minus infinity, as in PyTorch. With `fast` the relative error is at most 1.2e-4 from
/// -4.
template <class Element, std::size_t Width, class Config, detail::fast_policy... Policy>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> gelu_tanh(lanes<Element, Width, Config> x,
                                                                                     Policy... policy) {
    constexpr Element scale = Element(1.59576912160573071176L), cubic = Element(0.0713548162726002487634L);
    if (detail::without_product(x)) return detail::nan_like(x);
    // A constant expression must not overflow; elsewhere an infinite cube is as good.
    if (Width == 1 && __builtin_is_constant_evaluated() && !(abs(x)[0] < Element(64))) return relu(x);
    return x * sigmoid(x * fma(x * x, cubic, scale), policy...);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element sigmoid(Element x, Policy... policy) {
    return sigmoid(lanes<Element, 1>(x), policy...)[0];
}
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element silu(Element x, Policy... policy) {
    return silu(lanes<Element, 1>(x), policy...)[0];
}
template <detail::math_float Element, detail::fast_policy... Policy>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element gelu_tanh(Element x, Policy... policy) {
    return gelu_tanh(lanes<Element, 1>(x), policy...)[0];
}

}  // namespace ashlar
