// SPDX-License-Identifier: BSL-1.0
// Sine and cosine over the whole range of the format.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/kernel/math/float_format.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// pi / 2 in four parts. The first three have so few bits that their products with any n of the fast reduction, below
/// `largest`, are exact.
template <class Element>
struct half_pi;
template <>
struct half_pi<float> {
    static constexpr float largest = 6400, part[] = {0x1.92p+0f, 0x1.fb4p-12f, 0x1.444p-24f, 0x1.68c234p-39f};
};
template <>
struct half_pi<double> {
    static constexpr double largest = 1.6e6,
                            part[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
};

/// The bits of 2 / pi after 64 zeros, from the highest.
inline constexpr std::uint32_t two_over_pi[] = {
    0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046};

/// An angle as quarter turns, modulo 4, and a remainder of at most an eighth of a turn.
template <class Element>
struct reduced_angle {
    Element rest;
    typename float_format<Element>::bits quarters;
};

/// Reduces one large angle (Payne and Hanek 1983): its mantissa times those bits of 2 / pi that are neither multiples
/// of 4 quarter turns nor too small to matter. NaN for infinity and NaN.
template <class Element, class Config>
struct large_angle {
    using format = float_format<Element>;
    using bits = typename format::bits;

    ASHLAR_NOINLINE static constexpr reduced_angle<Element> reduce(Element x) noexcept {
        constexpr std::size_t words = sizeof(Element) == 4 ? 3 : 6;
        const bits pattern = __builtin_bit_cast(bits, x);
        if (pattern >= format::infinity) return {quiet_nan<Element>, 0};
        constexpr bits hidden = bits{1} << format::mantissa;
        const auto mantissa = static_cast<std::uint64_t>((pattern & (hidden - 1)) | hidden);
        const int exponent = static_cast<int>(pattern >> format::mantissa) - format::bias - format::mantissa;

        // The product modulo 2^(32 * words), lowest word first; its highest two bits are whole quarter turns.
        const auto start = static_cast<std::size_t>(exponent + 62);
        std::uint32_t product[words]{};
        for (std::size_t digit = 0; digit < 2; ++digit) {
            const std::uint64_t factor = (mantissa >> (32 * digit)) & 0xFFFFFFFF;
            std::uint64_t carry = 0;
            for (std::size_t i = digit; i < words; ++i) {
                const std::size_t at = start / 32 + words - 1 - (i - digit), shift = start % 32;
                const std::uint64_t two_words = std::uint64_t{two_over_pi[at]} << 32 | two_over_pi[at + 1];
                carry += factor * ((two_words >> (32 - shift)) & 0xFFFFFFFF) + product[i];
                product[i] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        }
        // Rounds to the nearest quarter turn; the remainder is a sign and a magnitude.
        std::uint32_t& top = product[words - 1];
        const std::uint32_t rounded = top + 0x20000000U;
        const bool below = (top & 0x20000000U) != 0;
        top = (top & 0x3FFFFFFFU) | (below ? 0xC0000000U : 0U);
        if (below) {
            std::uint64_t carry = 1;
            for (std::uint32_t& word : product) {
                carry += static_cast<std::uint32_t>(~word);
                word = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        }
        // The first 64 bits from the highest set bit, times pi / 2.
        std::size_t last = words - 1;
        int scale = 2 - 64;
        while (last > 1 && product[last] == 0) --last, scale -= 32;
        std::uint64_t high = std::uint64_t{product[last]} << 32 | product[last - 1];
        const std::uint64_t next = last > 1 ? product[last - 2] : 0;
        const int lift = product[last] == 0 ? 31 : __builtin_clz(product[last]);
        high = (high << lift) | ((next << lift) >> 32);
        constexpr std::uint64_t h = 0xC90FDAA2, l = 0x2168C234;
        const std::uint64_t a = high >> 32, b = high & 0xFFFFFFFF;
        const std::uint64_t turned = a * h + ((a * l) >> 32) + ((b * h) >> 32);
        const auto power = static_cast<bits>(static_cast<bits>(format::bias + scale + 1 - lift) << format::mantissa);
        const Element rest = static_cast<Element>(turned) * __builtin_bit_cast(Element, power);
        return {below ? -rest : rest, static_cast<bits>(rounded >> 30)};
    }
};

/// sin(r) and cos(r) for |r| <= pi / 4; float by Cephes sinf.c, double by fdlibm k_sin.c and k_cos.c.
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto sin_polynomial(lanes<float, Width, Config> r, lanes<float, Width, Config> z) {
    return fma(r * z, horner(z, -1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f), r);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto cos_polynomial(lanes<float, Width, Config> z) {
    return fma(z * z, horner(z, 2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f),
               fma(z, -0.5f, 1.0f));
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto sin_polynomial(lanes<double, Width, Config> r, lanes<double, Width, Config> z) {
    return fma(r * z,
               horner(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                      -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01),
               r);
}
template <std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr auto cos_polynomial(lanes<double, Width, Config> z) {
    return fma(z * z,
               horner(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
                      2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02),
               fma(z, -0.5, 1.0));
}

/// The sine of a magnitude plus this many quarter turns.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> sin_ahead(
    lanes<Element, Width, Config> x, typename float_format<Element>::bits quarters_ahead) {
    using Lanes = lanes<Element, Width, Config>;
    using format = float_format<Element>;
    using bits = typename format::bits;
    if (Width == 1 && __builtin_is_constant_evaluated() && bits_of(x)[0] >= format::infinity)
        return Lanes(quiet_nan<Element>);
    const auto carrier = fence(fma(x, Element(0.636619772367581343L), Lanes(format::magic)));
    const Lanes n = fence(carrier - format::magic);
    auto quarters = bits_of(carrier);
    Lanes r = x;
    for (const Element part : half_pi<Element>::part) r = fence(fma(n, -part, r));
    if (const auto large = !(x < half_pi<Element>::largest); any_of(large)) {
        Element all[Width], rests[Width];
        bits numbers[Width];
        x.store(all), r.store(rests), quarters.store(numbers);
        for (std::size_t i = 0; i < Width; ++i) {
            if (large[i]) {
                const auto reduced = large_angle<Element, Config>::reduce(all[i]);
                rests[i] = reduced.rest;
                numbers[i] = reduced.quarters;
            }
        }
        r = Lanes::load(rests);
        quarters = decltype(quarters)::load(numbers);
    }
    quarters = quarters + quarters_ahead;
    const Lanes z = r * r;
    const auto even = convert_mask<Element>((quarters & bits{1}) == bits{0});
    const Lanes y = select(even, sin_polynomial(r, z), cos_polynomial(z));
    return bit_cast_lanes<Element>(bits_of(y) ^ ((quarters & bits{2}) << static_cast<int>(sizeof(bits) * 8 - 2)));
}

}  // namespace detail

/// sin(x): at most 2.5 ulp for every x; NaN for infinities. Beyond 6400 (double: 1.6e6) lanes are computed one by one,
/// which is slower.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> sin(lanes<Element, Width, Config> x) {
    const auto sign = detail::bits_of(x) & detail::float_format<Element>::sign;
    return bit_cast_lanes<Element>(detail::bits_of(detail::sin_ahead(abs(x), 0)) ^ sign);
}

/// cos(x): as accurate.
template <class Element, std::size_t Width, class Config>
    requires detail::math_float<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> cos(lanes<Element, Width, Config> x) {
    return detail::sin_ahead(abs(x), 1);
}

/// The same for a scalar, in constant expressions too.
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element sin(Element x) {
    return sin(lanes<Element, 1>(x))[0];
}
template <detail::math_float Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element cos(Element x) {
    return cos(lanes<Element, 1>(x))[0];
}

}  // namespace ashlar
