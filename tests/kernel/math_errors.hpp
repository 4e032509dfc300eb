// SPDX-License-Identifier: BSL-1.0
// Errors in units of the last place, NaN by its bits, and the functions of kernel/math.hpp for lanes of any width.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd.hpp>

namespace support {

using ashlar::current_config;
namespace detail = ashlar::detail;

inline constexpr bool fast_math = current_config::fast_math;
/// Whether lanes of T take subnormal numbers for zero, as registers of 32-bit ARM do; g++ uses those of NEON for
/// nothing where that makes a difference.
#if defined(ASHLAR_HAS_MVE) || (defined(__ARM_NEON) && !defined(__aarch64__) && defined(__clang__))
template <class T>
inline constexpr bool flushes_subnormals = fast_math || sizeof(T) == 4;
#else
template <class T>
inline constexpr bool flushes_subnormals = fast_math;
#endif
/// Without fused multiply-adds every step of a polynomial rounds twice.
#if defined(__FMA__) || defined(__aarch64__)
inline constexpr double rounding_twice = 0;
#else
inline constexpr double rounding_twice = 1;
#endif

/// How many arguments of a range are tried: one of $ASHLAR_TEST_STEP, where an emulator has no time for all.
template <class T>
std::size_t argument_count() {
    const char* step = std::getenv("ASHLAR_TEST_STEP");
    return (sizeof(T) == 4 ? 400'000 : 60'000) / (step == nullptr ? 1 : std::strtoul(step, nullptr, 10));
}

template <class T>
inline constexpr T inf = detail::infinity<T>;
template <class T>
inline constexpr T nan_value = detail::quiet_nan<T>;

template <class T>
bool is_nan_bits(T x) {
    typename detail::float_format<T>::bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return (bits & detail::float_format<T>::magnitude) > detail::float_format<T>::infinity;
}

/// The distance of a finite result from the reference in units of the last place of the reference.
template <class T>
double ulps(T got, long double expected) {
    int exponent = 0;
    (void)std::frexp(expected, &exponent);
    exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
    return static_cast<double>(std::fabs(static_cast<long double>(got) - expected) /
                               std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits));
}

/// The same expression for lanes of any width.
inline constexpr auto exp_of = [](auto x) { return ashlar::exp(x); };
inline constexpr auto exp_nonpositive_of = [](auto x) { return ashlar::exp_nonpositive(x); };
inline constexpr auto exp_beside_one_of = [](auto x) {
    return detail::exp_nonpositive_as<detail::exp_form::near_one>(x);
};
inline constexpr auto exp2_nonpositive_of = [](auto x) { return ashlar::exp2_nonpositive(x); };
inline constexpr auto log_of = [](auto x) { return ashlar::log(x); };
inline constexpr auto tanh_of = [](auto x) { return ashlar::tanh(x); };
inline constexpr auto erf_of = [](auto x) { return ashlar::erf(x); };
inline constexpr auto sigmoid_of = [](auto x) { return ashlar::sigmoid(x); };
inline constexpr auto silu_of = [](auto x) { return ashlar::silu(x); };
inline constexpr auto gelu_of = [](auto x) { return ashlar::gelu(x); };
inline constexpr auto gelu_tanh_of = [](auto x) { return ashlar::gelu_tanh(x); };
inline constexpr auto sqrt_of = [](auto x) { return ashlar::sqrt(x); };
inline constexpr auto rsqrt_of = [](auto x) { return ashlar::rsqrt(x); };
inline constexpr auto relu_of = [](auto x) { return ashlar::relu(x); };

}  // namespace support
