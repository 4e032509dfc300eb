// SPDX-License-Identifier: BSL-1.0
// Exponentials of nonpositive arguments by tables of powers of two, where an instruction looks them up.
#pragma once

#include <bit>

#include <ashlar/kernel/math/float_format.hpp>

namespace ashlar::inline v0_1::detail {

/// e^x = 2^n e^r with n = round(x / ln 2) and r = x - n ln 2. ln 2 has two parts, so that n times the first is exact
/// (Cephes for float, Sun fdlibm for double).
template <class Element>
struct exp_reduction {
    static constexpr Element log2_e = Element(1.44269504088896340736L);
    static constexpr Element ln2_high =
        sizeof(Element) == 4 ? Element(0.693359375L) : Element(6.93147180369123816490e-01L);
    static constexpr Element ln2_low =
        sizeof(Element) == 4 ? Element(-2.12194440e-4L) : Element(1.90821492927058770002e-10L);
};

/// The arguments of an exponential. Arbitrary ones, including minus infinity, may cost one more operation: infinity
/// minus infinity is an invalid operation even if its result is not used, and a program may trap it.
enum class exp_arguments : std::uint8_t { finite, any };

/// The accuracy of an exponential: 2.5 ulp; the same down to -10 and 6 ulp below, which is 2^-34 of e^0; or a relative
/// error of 1.2e-4.
enum class exp_form : std::uint8_t { precise, near_one, coarse };

/// 2^(i/Entries) for 0 <= i < Entries as bits, minus i in the exponent's lowest bits and minus what a magic number
/// leaves there when both are shifted into the exponent.
template <std::size_t Entries>
struct exp_table {
    static constexpr unsigned shift = float_format<float>::mantissa - std::bit_width(Entries - 1);
    alignas(64) std::uint32_t bits[Entries];
};
template <std::size_t Entries>
inline constexpr exp_table<Entries> exp_table_of = [] {
    constexpr double root_of_32 = 1.0218971486541166782344801347833;
    exp_table<Entries> table{};
    // Not in long double: products of IBM's long double are not constants.
    double power = 1;
    for (std::uint32_t i = 0; i < 32; ++i) {
        if (i % (32 / Entries) == 0) {
            const std::uint32_t entry = i / (32 / Entries);
            const auto magic = __builtin_bit_cast(std::uint32_t, float_format<float>::magic);
            table.bits[entry] = __builtin_bit_cast(std::uint32_t, static_cast<float>(power)) -
                                ((magic + entry) << exp_table<Entries>::shift);
        }
        power *= root_of_32;
    }
    return table;
}();

/// 2^(n/Entries) for the n that a magic number carries.
template <std::size_t Entries, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> looked_up(lanes<Element, Width, Config> carrier) {
    using Lanes = lanes<Element, Width, Config>;
    constexpr const auto& table = exp_table_of<Entries>;
    if constexpr (Width == 1) {
        const auto bits = static_cast<std::uint32_t>(bits_of(carrier)[0]);
        return Lanes(__builtin_bit_cast(Element, table.bits[bits % Entries] + (bits << table.shift)));
    } else {
        const auto bits = bits_of(carrier);
        return bit_cast_lanes<Element>(Lanes::ops::lookup(table.bits, bits) + (bits << table.shift));
    }
}

/// Below these e^x and 2^x are denormal.
template <class Element>
inline constexpr Element least_exp_argument = sizeof(Element) == 4 ? Element(-87.3) : Element(-708.3);
template <class Element>
inline constexpr Element least_exp2_argument = sizeof(Element) == 4 ? Element(-126) : Element(-1022);

/// The whole power of two next to these has an exponent of zero and no mantissa: its bits are those of 0. Raising every
/// argument to them gives zeros without a comparison and a select.
template <class Element>
inline constexpr Element vanishing_exp_argument = sizeof(Element) == 4 ? Element(-88.03) : Element(-709.1);
template <class Element>
inline constexpr Element vanishing_exp2_argument = sizeof(Element) == 4 ? Element(-127) : Element(-1023);

/// True if one instruction picks a float for each lane from 32 of them.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up =
    std::is_same_v<Element, float> && Width == 16 && in_register<Element, Width, Config>() && has<Config, isa::avx512f>;

/// e^x for x <= 0 as 2^(n/32) e^r with |r| <= ln(2)/64: half the multiplications of a polynomial alone. A Chebyshev
/// polynomial moves the cubic term into the linear one. In the coarse form 1 + r is e^r. Vanishing results are masked,
/// which is free except for the comparison; minus infinity must be raised anyway.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp_by_table(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    [[maybe_unused]] const auto keep = !(x < least_exp_argument<Element>);
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(vanishing_exp_argument<Element>), x);
    const auto kept_fma = [&](Lanes a, Lanes b, Lanes c) ASHLAR_LAMBDA_INLINE {
        if constexpr (Arguments == exp_arguments::any)
            return fma(a, b, c);
        else
            return Lanes(Lanes::ops::fma(keep.data, a.data, b.data, c.data));
    };
    const Lanes carrier = fence(fma(x, 32 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    Lanes r = kept_fma(n, Lanes(-0.69314718f / 32), x);
    if constexpr (Form == exp_form::precise) r = kept_fma(n, Lanes(1.9046542e-9f / 32), fence(r));
    const Lanes most = looked_up<32>(carrier);
    Lanes correction = r;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.5f, Lanes(1.0f + 1.4663e-5f));
    return kept_fma(most, correction, most);
}

/// 2^x for x <= 0 as 2^(n/32) 2^r, n in units of 1/32, and r exact. Additions, which many processors execute on other
/// units, replace two of the multiplications of e^x. The coefficients are those of `exp_by_table`.
template <exp_form Form, exp_arguments Arguments, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp2_by_table(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    [[maybe_unused]] const auto keep = !(x < least_exp2_argument<Element>);
    if constexpr (Arguments == exp_arguments::any) x = max<>(Lanes(vanishing_exp2_argument<Element>), x);
    const Lanes magic(float_format<Element>::magic / 32);
    const Lanes carrier = fence(x + magic), r = x - fence(carrier - magic);
    const Lanes most = looked_up<32>(carrier);
    Lanes correction = r * Lanes(0.69314718f);
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.24022651f, Lanes(0.69315734f));
    if constexpr (Arguments == exp_arguments::any)
        return fma(most, correction, most);
    else
        return Lanes(Lanes::ops::fma(keep.data, most.data, correction.data, most.data));
}

/// True if one instruction picks it from 8 of them.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up_eighths =
    std::is_same_v<Element, float> && Width == 8 && in_register<Element, Width, Config>() && has<Config, isa::avx2> &&
    has<Config, isa::fma> && !has<Config, isa::avx512f>;

/// e^x for x <= 0 as 2^(n/8) e^r with |r| <= ln(2)/16: six multiply-add operations instead of eight. A Chebyshev
/// polynomial moves the quartic term into the quadratic one.
template <exp_form Form, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp_by_eighths(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    x = max<>(Lanes(vanishing_exp_argument<Element>), x);
    const Lanes carrier = fence(fma(x, 8 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    Lanes r = fma(n, -0.69314718f / 8, x);
    if constexpr (Form == exp_form::precise) r = fma(n, 1.9046542e-9f / 8, fence(r));
    const Lanes most = looked_up<8>(carrier);
    Lanes slope(0.5f);
    if constexpr (Form != exp_form::coarse) slope = fma(r, 0.16666667f, Lanes(0.5f + 6.478e-5f));
    return fma(most, r * fma(r, slope, Lanes(1)), most);
}

/// 2^x likewise, with four multiply-add operations; r is exact.
template <exp_form Form, class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> exp2_by_eighths(lanes<Element, Width, Config> x) {
    using Lanes = lanes<Element, Width, Config>;
    const Lanes magic(float_format<Element>::magic / 8);
    x = max<>(Lanes(vanishing_exp2_argument<Element>), x);
    const Lanes carrier = fence(x + magic), r = x - fence(carrier - magic);
    const Lanes most = looked_up<8>(carrier);
    Lanes slope(0.24022651f);
    if constexpr (Form != exp_form::coarse) slope = fma(r, 0.055504109f, Lanes(0.24025763f));
    return fma(most, r * fma(r, slope, Lanes(0.69314718f)), most);
}

/// True if a lane is a register of a core that issues one instruction at a time: a load is as cheap as a
/// multiplication, and a multiply-add overwrites its addend, so that a constant is copied first.
template <class Element, std::size_t Width, class Config>
inline constexpr bool looks_up_scalars =
    std::is_same_v<Element, float> && Width == 1 && has<Config, isa::m_profile> && has<Config, isa::vfp_float>;

/// e^x as by `exp_by_table` for one lane whose result does not vanish.
template <exp_form Form, class Element, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, 1, Config> exp_by_scalars(lanes<Element, 1, Config> x) {
    using Lanes = lanes<Element, 1, Config>;
    const Lanes carrier = fence(fma(x, 32 * exp_reduction<Element>::log2_e, Lanes(float_format<Element>::magic)));
    const Lanes n = fence(carrier - Lanes(float_format<Element>::magic));
    // Rounded once whatever the compiler's contraction option is: the remainder depends on it.
    Lanes r(__builtin_fmaf(n[0], -0.69314718f / 32, x[0]));
    if constexpr (Form == exp_form::precise) r = fma(n, 1.9046542e-9f / 32, r);
    const Lanes most = looked_up<32>(carrier);
    Lanes correction = r;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.5f, Lanes(1.0f + 1.4663e-5f));
    return fma(most, correction, most);
}

/// 2^x likewise.
template <exp_form Form, class Element, class Config>
ASHLAR_ALWAYS_INLINE lanes<Element, 1, Config> exp2_by_scalars(lanes<Element, 1, Config> x) {
    using Lanes = lanes<Element, 1, Config>;
    const Lanes magic(float_format<Element>::magic / 32);
    const Lanes carrier = fence(x + magic), r = x - fence(carrier - magic);
    const Lanes most = looked_up<32>(carrier);
    Lanes correction = r * 0.69314718f;
    if constexpr (Form != exp_form::coarse) correction = r * fma(r, 0.24022651f, Lanes(0.69315734f));
    return fma(most, correction, most);
}

}  // namespace ashlar::detail
