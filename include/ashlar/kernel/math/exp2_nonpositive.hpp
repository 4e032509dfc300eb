// SPDX-License-Identifier: BSL-1.0
// Powers of two of numbers that are not positive.
#pragma once

#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// 2^x for x <= 0 with the special values of `exp_nonpositive_as`. At most 2.5 ulp in both forms that are not coarse.
template <exp_form Form, exp_arguments Arguments = exp_arguments::finite, class Element, std::size_t Width,
          class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_nonpositive_as(lanes<Element, Width, Config> x) {
    constexpr Element least = least_exp2_argument<Element>;
    if (Width == 1 && (has<Config, isa::m_profile> || __builtin_is_constant_evaluated()) && !(x[0] >= least))
        return max<>(lanes<Element, Width, Config>(Element(0)), x);
    if constexpr (looks_up<Element, Width, Config>) {
        return exp2_by_table<Form, Arguments>(x);
    } else if constexpr (looks_up_eighths<Element, Width, Config>) {
        return exp2_by_eighths<Form>(x);
    } else if (looks_up_scalars<Element, Width, Config> && !__builtin_is_constant_evaluated()) {
        if constexpr (looks_up_scalars<Element, Width, Config>) return exp2_by_scalars<Form>(x);
    } else {
        const auto y = raised<Arguments>(x, least, vanishing_exp2_argument<Element>);
        const auto carrier = carry_rounded(y, Element(1));
        const auto r = y - carried(carrier);
        if constexpr (Form == exp_form::coarse)
            return times_power_from(least, x, exp2_polynomial_coarse(r), carrier);
        else
            return times_power_from(least, x, exp2_polynomial_fast(r), carrier);
    }
}

}  // namespace detail

/// 2^x for x <= 0: two or three operations cheaper than `exp_nonpositive`, for callers that fold log2(e) into a factor;
/// at most 2.5 ulp. Everything below -127 (double: -1023) gives 0, and below -126 (-1022) less than the least normal
/// number.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> exp2_nonpositive(
    lanes<Element, Width, Config> x) {
    return detail::exp2_nonpositive_as<detail::exp_form::precise>(x);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element exp2_nonpositive(Element x) {
    return exp2_nonpositive(lanes<Element, 1>(x))[0];
}

}  // namespace ashlar
