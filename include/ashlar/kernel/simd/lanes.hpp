// SPDX-License-Identifier: BSL-1.0
// The operators and functions of lanes and masks: Width values side by side. Without xsimd: see kernel/simd.hpp.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd/lane_types.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether instructions on such registers also take scalars.
template <class Element, std::size_t Width, class Config>
concept takes_scalars = has<Config, isa::mve> && std::is_same_v<Element, float> && Width == 4;

template <class Left, class Right>
struct common_lanes {};
template <class Element, std::size_t Width, class Config>
struct common_lanes<lanes<Element, Width, Config>, lanes<Element, Width, Config>> {
    using type = lanes<Element, Width, Config>;
};
template <class Element, std::size_t Width, class Config, class Scalar>
    requires std::is_arithmetic_v<Scalar>
struct common_lanes<lanes<Element, Width, Config>, Scalar> {
    using type = lanes<Element, Width, Config>;
};
template <class Element, std::size_t Width, class Config, class Scalar>
    requires std::is_arithmetic_v<Scalar>
struct common_lanes<Scalar, lanes<Element, Width, Config>> {
    using type = lanes<Element, Width, Config>;
};
/// The lanes type of an operation between two lanes of one type, or lanes and a scalar on either side.
template <class Left, class Right>
using common_lanes_t = typename common_lanes<Left, Right>::type;

/// The same for operations that only integers have.
template <class Left, class Right>
using common_integer_lanes_t =
    std::enable_if_t<std::is_integral_v<typename common_lanes<Left, Right>::type::value_type>,
                     typename common_lanes<Left, Right>::type>;

}  // namespace detail

/// Arithmetic of lanes with lanes or a scalar, which is converted to their element type; integers wrap.
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator+(Left a, Right b) {
    return Lanes(Lanes::ops::add(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator-(Left a, Right b) {
    return Lanes(Lanes::ops::sub(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator*(Left a, Right b) {
    return Lanes(Lanes::ops::mul(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator/(Left a, Right b) {
    return Lanes(Lanes::ops::div(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_integer_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator%(Left a, Right b) {
    return Lanes(Lanes::ops::rem(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_integer_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator&(Left a, Right b) {
    return Lanes(Lanes::ops::bit_and(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_integer_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator|(Left a, Right b) {
    return Lanes(Lanes::ops::bit_or(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_integer_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr Lanes operator^(Left a, Right b) {
    return Lanes(Lanes::ops::bit_xor(Lanes(a).data, Lanes(b).data));
}

/// Shifts by a count for all lanes, or by one count per lane; 0 <= count < bits of Element. Right shifts of signed
/// lanes keep the sign.
template <class Element, std::size_t Width, class Config>
    requires std::is_integral_v<Element>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> operator<<(lanes<Element, Width, Config> a, int count) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::shl(a.data, count));
}
template <class Element, std::size_t Width, class Config>
    requires std::is_integral_v<Element>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> operator>>(lanes<Element, Width, Config> a, int count) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::shr(a.data, count));
}
template <class Element, std::size_t Width, class Config>
    requires std::is_integral_v<Element>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> operator<<(lanes<Element, Width, Config> a,
                                                                        lanes<Element, Width, Config> counts) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::shl(a.data, counts.data));
}
template <class Element, std::size_t Width, class Config>
    requires std::is_integral_v<Element>
ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> operator>>(lanes<Element, Width, Config> a,
                                                                        lanes<Element, Width, Config> counts) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::shr(a.data, counts.data));
}

/// Comparisons give a mask; NaN is unequal to everything and ordered with nothing.
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator==(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::eq(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator!=(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::ne(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator<(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::lt(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator<=(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::le(Lanes(a).data, Lanes(b).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator>(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::lt(Lanes(b).data, Lanes(a).data));
}
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
ASHLAR_ALWAYS_INLINE constexpr typename Lanes::mask_type operator>=(Left a, Right b) {
    return typename Lanes::mask_type(Lanes::ops::le(Lanes(b).data, Lanes(a).data));
}

/// Lane-wise logic of masks; both sides are always evaluated.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> operator&(lane_mask<Element, Width, Config> a,
                                                                           lane_mask<Element, Width, Config> b) {
    return a &= b;
}
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> operator|(lane_mask<Element, Width, Config> a,
                                                                           lane_mask<Element, Width, Config> b) {
    return a |= b;
}
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> operator^(lane_mask<Element, Width, Config> a,
                                                                           lane_mask<Element, Width, Config> b) {
    return a ^= b;
}
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> operator&&(lane_mask<Element, Width, Config> a,
                                                                            lane_mask<Element, Width, Config> b) {
    return a &= b;
}
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> operator||(lane_mask<Element, Width, Config> a,
                                                                            lane_mask<Element, Width, Config> b) {
    return a |= b;
}

/// True if all lanes of a mask are true.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool all_of(lane_mask<Element, Width, Config> m) {
    return lane_mask<Element, Width, Config>::ops::mask_all(m.data);
}
/// True if some lane of a mask is true.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool any_of(lane_mask<Element, Width, Config> m) {
    return lane_mask<Element, Width, Config>::ops::mask_any(m.data);
}
/// True if no lane of a mask is true.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool none_of(lane_mask<Element, Width, Config> m) {
    return !any_of(m);
}

/// a where the mask is true, b elsewhere; either may be a scalar.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> select(
    lane_mask<Element, Width, Config> m, std::type_identity_t<lanes<Element, Width, Config>> a,
    std::type_identity_t<lanes<Element, Width, Config>> b) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::select(m.data, a.data, b.data));
}
/// The same as `select`.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> where(
    lane_mask<Element, Width, Config> m, std::type_identity_t<lanes<Element, Width, Config>> a,
    std::type_identity_t<lanes<Element, Width, Config>> b) {
    return select(m, a, b);
}

/// The first `Count` lanes; the others repeat lane 0. Lanes without an element are computed too: an operation then does
/// with them what it does with an element, be it a division, a user's function or a trap.
template <std::size_t Count, class Element, std::size_t Width, class Config>
    requires(Count > 0 && Count <= Width)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> repeat_first(
    lanes<Element, Width, Config> a) {
    if constexpr (Count == Width)
        return a;
    else
        return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::template repeat_first<Count>(a.data));
}
template <std::size_t Count, class Element, std::size_t Width, class Config>
    requires(Count > 0 && Count <= Width)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lane_mask<Element, Width, Config> repeat_first(
    lane_mask<Element, Width, Config> m) {
    if constexpr (Count == Width)
        return m;
    else
        return lane_mask<Element, Width, Config>(
            lane_mask<Element, Width, Config>::ops::template mask_repeat_first<Count>(m.data));
}

/// a * b + c: rounded once if the machine has the instruction, otherwise twice.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> fma(
    lanes<Element, Width, Config> a, std::type_identity_t<lanes<Element, Width, Config>> b,
    std::type_identity_t<lanes<Element, Width, Config>> c) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::fma(a.data, b.data, c.data));
}
/// The same with numbers for b and c, where the fma of <cmath> would match too.
template <class Element, std::size_t Width, class Config, class Second, class Third>
    requires(std::is_arithmetic_v<Second> || std::is_arithmetic_v<Third>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> fma(lanes<Element, Width, Config> a,
                                                                               Second b, Third c) {
    using Lanes = lanes<Element, Width, Config>;
    return fma(a, Lanes(b), Lanes(c));
}
/// f of floating-point registers or of one lane. As one C++ expression it is rounded once if the compiler contracts it,
/// which -ffp-contract decides. clang contracts nothing across the operators of lanes.
template <class Function, class Element, std::size_t Width, class Config>
    requires std::is_floating_point_v<Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> computed_as_one(
    Function f, lanes<Element, Width, Config> a, lanes<Element, Width, Config> b, lanes<Element, Width, Config> c) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::as_one(f, a.data, b.data, c.data));
}
// The same if instructions take a scalar with registers.
template <class Element, std::size_t Width, class Config>
    requires detail::takes_scalars<Element, Width, Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> fma(
    lanes<Element, Width, Config> a, Element b, std::type_identity_t<lanes<Element, Width, Config>> c) {
    return lanes<Element, Width, Config>(detail::lane_ops<Element, Width, Config>::fma_by_scalar(b, a.data, c.data));
}
template <class Element, std::size_t Width, class Config>
    requires detail::takes_scalars<Element, Width, Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> fma(lanes<Element, Width, Config> a,
                                                                     lanes<Element, Width, Config> b, Element c) {
    return lanes<Element, Width, Config>(detail::lane_ops<Element, Width, Config>::fma_to_scalar(a.data, b.data, c));
}
template <class Element, std::size_t Width, class Config>
    requires detail::takes_scalars<Element, Width, Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> operator+(lanes<Element, Width, Config> a, Element b) {
    return lanes<Element, Width, Config>(detail::lane_ops<Element, Width, Config>::add_scalar(a.data, b));
}
template <class Element, std::size_t Width, class Config>
    requires detail::takes_scalars<Element, Width, Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> operator-(lanes<Element, Width, Config> a, Element b) {
    return lanes<Element, Width, Config>(detail::lane_ops<Element, Width, Config>::sub_scalar(a.data, b));
}
template <class Element, std::size_t Width, class Config>
    requires detail::takes_scalars<Element, Width, Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE lanes<Element, Width, Config> operator*(lanes<Element, Width, Config> a, Element b) {
    return lanes<Element, Width, Config>(detail::lane_ops<Element, Width, Config>::mul_scalar(a.data, b));
}
/// a < b ? a : b. If b is NaN the result is NaN. If only a is, the result is b on x86 (minps) and in array form, and
/// may be NaN elsewhere.
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Lanes(min)(Left a, Right b) {
    return Lanes((Lanes::ops::min)(Lanes(a).data, Lanes(b).data));
}
/// a > b ? a : b. If b is NaN the result is NaN. If only a is, the result is b on x86 (maxps) and in array form, and
/// may be NaN elsewhere.
template <class Left, class Right, class Lanes = detail::common_lanes_t<Left, Right>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Lanes(max)(Left a, Right b) {
    return Lanes((Lanes::ops::max)(Lanes(a).data, Lanes(b).data));
}
// The same for two lanes of one type: preferred to std::min and std::max if a using-directive makes those visible.
template <class Lanes>
    requires is_lanes<Lanes>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Lanes(min)(const Lanes& a, const Lanes& b) {
    return Lanes((Lanes::ops::min)(a.data, b.data));
}
template <class Lanes>
    requires is_lanes<Lanes>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Lanes(max)(const Lanes& a, const Lanes& b) {
    return Lanes((Lanes::ops::max)(a.data, b.data));
}
/// The magnitude; the least signed integer wraps to itself.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> abs(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::abs(a.data));
}
/// The correctly rounded square root; NaN for negative numbers.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> sqrt(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::sqrt(a.data));
}
/// The next integer at or below.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> floor(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::floor(a.data));
}
/// The nearest integer, ties to even.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> round_nearest(
    lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::round(a.data));
}
/// Exactly rounded 1/x.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> reciprocal(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>(Element(1)) / a;
}

/// The same, except 0 for 0: there is no division by zero, which a program may trap.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> reciprocal_or_zero(
    lanes<Element, Width, Config> a) {
    const auto none = a == Element(0);
    return select(none, Element(0), Element(1) / select(none, Element(1), a));
}

/// The sum of all lanes, in an order fixed by Width.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element reduce_add(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>::ops::reduce_add(a.data);
}
/// The largest lane, in the same order; NaN may be lost.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element reduce_max(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>::ops::reduce_max(a.data);
}
/// The least lane, likewise.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element reduce_min(lanes<Element, Width, Config> a) {
    return lanes<Element, Width, Config>::ops::reduce_min(a.data);
}

/// static_cast<Target> of every lane.
template <class Target, class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Target, Width, Config> convert_lanes(
    lanes<Element, Width, Config> a) {
    if constexpr (std::is_same_v<Target, Element>) {
        return a;
    } else if constexpr (detail::in_register<Element, Width, Config>() &&
                         detail::in_register<Target, Width, Config>()) {
        return lanes<Target, Width, Config>(lanes<Element, Width, Config>::ops::template convert<Target>(a.data));
    } else {
        Element from[Width] = {};
        Target to[Width] = {};
        a.store(from);
        for (std::size_t i = 0; i < Width; ++i) to[i] = static_cast<Target>(from[i]);
        return lanes<Target, Width, Config>::load(to);
    }
}

/// The bits of every lane as a Target of the same size.
template <class Target, class Element, std::size_t Width, class Config>
    requires(sizeof(Target) == sizeof(Element))
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Target, Width, Config> bit_cast_lanes(
    lanes<Element, Width, Config> a) {
    if constexpr (std::is_same_v<Target, Element>) {
        return a;
    } else if constexpr (detail::in_register<Element, Width, Config>() &&
                         detail::in_register<Target, Width, Config>()) {
        return lanes<Target, Width, Config>(lanes<Element, Width, Config>::ops::template bit_cast<Target>(a.data));
    } else {
        Element from[Width] = {};
        Target to[Width] = {};
        a.store(from);
        for (std::size_t i = 0; i < Width; ++i) to[i] = __builtin_bit_cast(Target, from[i]);
        return lanes<Target, Width, Config>::load(to);
    }
}

/// The same truth values for lanes of another element type.
template <class Target, class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lane_mask<Target, Width, Config> convert_mask(
    lane_mask<Element, Width, Config> m) {
    if constexpr (std::is_same_v<Target, Element>) {
        return m;
    } else if constexpr (detail::in_register<Element, Width, Config>() &&
                         detail::in_register<Target, Width, Config>()) {
        return lane_mask<Target, Width, Config>(
            lane_mask<Element, Width, Config>::ops::template convert_mask<Target>(m.data));
    } else {
        bool values[Width] = {};
        m.store(values);
        return lane_mask<Target, Width, Config>::load(values);
    }
}

/// Hides a value from the optimiser: it is neither recomputed, nor folded into its use, nor reassociated. Does nothing
/// in constant expressions.
template <class Element, std::size_t Width, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<Element, Width, Config> opaque(lanes<Element, Width, Config> a) {
    if (!__builtin_is_constant_evaluated())
        return lanes<Element, Width, Config>(lanes<Element, Width, Config>::ops::opaque(a.data));
    return a;
}

namespace detail {

/// Stores LaneCount lanes, `Step` elements apart; truth values as bools.
template <std::ptrdiff_t Step, std::size_t LaneCount, class Other, class Lanes>
ASHLAR_ALWAYS_INLINE void store_lanes(const Lanes& x, Other* p) {
    constexpr std::size_t width = Lanes::size;
    if constexpr (Step == 1 || LaneCount == 1) {
        if constexpr (std::is_same_v<Other, bool>) {
            if constexpr (LaneCount == width)
                x.store(p);
            else
                x.store_partial(p, LaneCount);
        } else if constexpr (LaneCount == width) {
            x.store(p);
        } else {
            x.template store_partial<LaneCount>(p);
        }
    } else {
        Other all[width];
        x.store(all);
        for (std::size_t i = 0; i < LaneCount; ++i) p[static_cast<std::ptrdiff_t>(i) * Step] = all[i];
    }
}

}  // namespace detail

}  // namespace ashlar
