// SPDX-License-Identifier: BSL-1.0
// The functions that need no approximation: relu, clamp, rsqrt, and scalar forms of those of lanes.
#pragma once

#include <ashlar/kernel/math/format.hpp>

namespace ashlar {

/// max(x, 0); NaN stays NaN.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> relu(lanes<T, N, Config> x) {
    return max(lanes<T, N, Config>(T(0)), x);
}

/// min(max(x, low), high); NaN in x stays NaN. `low` must not exceed `high`.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> clamp(lanes<T, N, Config> x,
                                                                       std::type_identity_t<lanes<T, N, Config>> low,
                                                                       std::type_identity_t<lanes<T, N, Config>> high) {
    return min(high, max(low, x));
}

/// 1/sqrt(x) from the exact square root and an exact division: at most 1.5 ulp.
template <class T, std::size_t N, class Config>
    requires detail::math_float<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> rsqrt(lanes<T, N, Config> x) {
    if (N == 1 && __builtin_is_constant_evaluated()) {
        if (!(x[0] > 0))
            return x[0] == 0 ? detail::with_sign(lanes<T, N, Config>(detail::infinity<T>), x) : sqrt(x);
    }
    return reciprocal(sqrt(x));
}

/// The functions of this header and of lanes for scalars, in constant expressions too. min, max and clamp have the
/// signatures of std:: but are more constrained, so that using-directives for both do not make a call ambiguous.
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T min(const T& a, const T& b) {
    return a < b ? a : b;
}
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T max(const T& a, const T& b) {
    return a > b ? a : b;
}
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T clamp(const T& x, const T& low, const T& high) {
    return min(high, max(low, x));
}
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T relu(T x) {
    return max(T(0), x);
}
template <class T>
    requires std::is_arithmetic_v<T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T abs(T x) {
    return detail::scalar_ops<T>::abs(x);
}
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T sqrt(T x) {
    return sqrt(lanes<T, 1>(x))[0];
}
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T rsqrt(T x) {
    return rsqrt(lanes<T, 1>(x))[0];
}
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T floor(T x) {
    return detail::scalar_ops<T>::floor(x);
}
template <detail::math_float T>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T fma(T a, T b, T c) {
    return fma(lanes<T, 1>(a), b, c)[0];
}

}  // namespace ashlar
