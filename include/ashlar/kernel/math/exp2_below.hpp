// SPDX-License-Identifier: BSL-1.0
// Powers of two of numbers below a common one that is taken from all of them: numerators of a softmax.
#pragma once

#include <ashlar/kernel/math/exp.hpp>

namespace ashlar::detail {

/// The parts of one that an exponent is rounded to where a number is added to do it; 0 where it is done otherwise.
template <class Element, std::size_t Width, class Config>
inline constexpr std::size_t exponent_parts = looks_up<Element, Width, Config>                        ? 32
                                              : looks_up_eighths<Element, Width, Config>              ? 8
                                              : Width > 1 && raises_vanishing<Element, Width, Config> ? 1
                                                                                                      : 0;

/// 2^(x - m) for x <= m, times a factor between 1/2 and 2 that all x of a lane share, so that quotients are right:
/// to 2.5 ulp, 0 or less than the least normal number below m - 126 (double: m - 1022), NaN for NaN.
///
/// It takes no subtraction: an exponent is rounded by adding a magic number, and the magic number less m, rounded like
/// one, does both. What that has rounded comes back by subtracting it, without error, and so does the remainder.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
class exp2_below {
    using Lanes = lanes<Element, Width, Config>;
    static constexpr std::size_t parts = exponent_parts<Element, Width, Config>;
    static_assert(parts != 0);
    static constexpr Element magic = float_format<Element>::magic / Element(parts);
    /// What does not vanish by a mask is raised to what does.
    static constexpr bool masks = looks_up<Element, Width, Config> && Arguments == exp_arguments::finite;
    static constexpr Element least = masks ? least_exp2_argument<Element> : vanishing_exp2_argument<Element>;

    Lanes shift_{magic}, least_{least};

public:
    /// 2^x.
    exp2_below() = default;
    /// m must fit.
    ASHLAR_ALWAYS_INLINE explicit exp2_below(Lanes m)
        : shift_(fence(Lanes(magic) - m)), least_(Lanes(magic + least) - shift_) {}

    /// Where the magic number less m, and what is added to it, keep their last place: |m| < 2^17 where there are 32
    /// parts; not for infinity and NaN.
    ASHLAR_ALWAYS_INLINE static auto fits(Lanes m) { return abs(m) < Lanes(magic / 3); }
    /// m as it is taken from all numbers, which is what sums of several m have to know.
    ASHLAR_ALWAYS_INLINE static Lanes rounded(Lanes m) { return Lanes(magic) - fence(Lanes(magic) - m); }

    ASHLAR_ALWAYS_INLINE Lanes operator()(Lanes x) const {
        if constexpr (parts == 32)
            return exp2_by_table<Form, Arguments>(x, shift_, least_);
        else if constexpr (parts == 8)
            return exp2_by_eighths<Form>(x, shift_, least_);
        else
            return exp2_by_bits<Form>(x, shift_, least_);
    }
};

}  // namespace ashlar::detail
