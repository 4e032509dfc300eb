// SPDX-License-Identifier: BSL-1.0
// The functions that need no approximation: relu, clamp, rsqrt, and scalar forms of those of lanes.
#pragma once

#include <ashlar/kernel/math/float_format.hpp>

namespace ashlar::inline v0_1 {

/// max(x, 0); NaN stays NaN.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> relu(lanes<Element, Width, Config> x) {
    return max<>(lanes<Element, Width, Config>(Element(0)), x);
}

/// min(max(x, low), high); NaN in x stays NaN. `low` must not exceed `high`.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> clamp(
    lanes<Element, Width, Config> x, std::type_identity_t<lanes<Element, Width, Config>> low,
    std::type_identity_t<lanes<Element, Width, Config>> high) {
    return min<>(high, max<>(low, x));
}

/// 1/sqrt(x) from the exact square root and an exact division: at most 1.5 ulp.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> rsqrt(lanes<Element, Width, Config> x) {
    if (Width == 1 && __builtin_is_constant_evaluated()) {
        if (!(x[0] > 0))
            return x[0] == 0 ? detail::with_sign(lanes<Element, Width, Config>(detail::infinity<Element>), x) : sqrt(x);
    }
    return reciprocal(sqrt(x));
}

/// The functions of this header and of lanes for scalars, in constant expressions too. min, max and clamp have the
/// signatures of std:: but are more constrained, so that using-directives for both do not make a call ambiguous.
template <class Element>
    requires std::is_arithmetic_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element(min)(const Element& a, const Element& b) {
    return a < b ? a : b;
}
/// The larger of two scalars; the second one if one of them is NaN.
template <class Element>
    requires std::is_arithmetic_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element(max)(const Element& a, const Element& b) {
    return a > b ? a : b;
}
template <class Element>
    requires std::is_arithmetic_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element clamp(const Element& x, const Element& low, const Element& high) {
    return min<>(high, max<>(low, x));
}
template <class Element>
    requires std::is_arithmetic_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element relu(Element x) {
    return max<>(Element(0), x);
}
/// The magnitude of a scalar; NaN stays NaN.
template <class Element>
    requires std::is_arithmetic_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element abs(Element x) {
    return detail::scalar_ops<Element>::abs(x);
}
/// The square root of a scalar, exactly rounded; NaN below 0.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element sqrt(Element x) {
    return sqrt(lanes<Element, 1>(x))[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element rsqrt(Element x) {
    return rsqrt(lanes<Element, 1>(x))[0];
}
/// A scalar rounded towards minus infinity.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element floor(Element x) {
    return detail::scalar_ops<Element>::floor(x);
}
/// a * b + c of scalars, rounded once if the target has such an instruction.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element fma(Element a, Element b, Element c) {
    return fma(lanes<Element, 1>(a), b, c)[0];
}

}  // namespace ashlar
