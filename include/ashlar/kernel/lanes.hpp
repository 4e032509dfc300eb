// SPDX-License-Identifier: BSL-1.0
// N values computed side by side: the operators and functions of lanes and masks. No xsimd here: see kernel/simd.hpp.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/lane_types.hpp>

#include <cstddef>
#include <type_traits>

namespace ashlar {

namespace detail {

template <class A, class B>
struct common_lanes {};
template <class T, std::size_t N, class Config>
struct common_lanes<lanes<T, N, Config>, lanes<T, N, Config>> {
    using type = lanes<T, N, Config>;
};
template <class T, std::size_t N, class Config, class S>
    requires std::is_arithmetic_v<S>
struct common_lanes<lanes<T, N, Config>, S> {
    using type = lanes<T, N, Config>;
};
template <class T, std::size_t N, class Config, class S>
    requires std::is_arithmetic_v<S>
struct common_lanes<S, lanes<T, N, Config>> {
    using type = lanes<T, N, Config>;
};
/// The lanes type of an operation between two lanes of one type, or lanes and a scalar on either side.
template <class A, class B>
using common_lanes_t = typename common_lanes<A, B>::type;

/// The same where only integers have the operation.
template <class A, class B>
using common_integer_lanes_t = std::enable_if_t<std::is_integral_v<typename common_lanes<A, B>::type::value_type>,
                                                typename common_lanes<A, B>::type>;

}  // namespace detail

/// Arithmetic of lanes with lanes or a scalar, which is converted to their element type; integers wrap.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator+(A a, B b) {
    return L(L::ops::add(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator-(A a, B b) {
    return L(L::ops::sub(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator*(A a, B b) {
    return L(L::ops::mul(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator/(A a, B b) {
    return L(L::ops::div(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator%(A a, B b) {
    return L(L::ops::rem(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator&(A a, B b) {
    return L(L::ops::bit_and(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator|(A a, B b) {
    return L(L::ops::bit_or(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator^(A a, B b) {
    return L(L::ops::bit_xor(L(a).data, L(b).data));
}

/// Shifts by a count for all lanes, or by one count per lane; 0 <= count < bits of T. Right shifts of signed lanes
/// keep the sign.
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator<<(lanes<T, N, Config> a, int count) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::shl(a.data, count));
}
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator>>(lanes<T, N, Config> a, int count) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::shr(a.data, count));
}
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator<<(lanes<T, N, Config> a, lanes<T, N, Config> counts) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::shl(a.data, counts.data));
}
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator>>(lanes<T, N, Config> a, lanes<T, N, Config> counts) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::shr(a.data, counts.data));
}

/// Comparisons give a mask; NaN is unequal to everything and ordered with nothing.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator==(A a, B b) {
    return typename L::mask_type(L::ops::eq(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator!=(A a, B b) {
    return typename L::mask_type(L::ops::ne(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator<(A a, B b) {
    return typename L::mask_type(L::ops::lt(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator<=(A a, B b) {
    return typename L::mask_type(L::ops::le(L(a).data, L(b).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator>(A a, B b) {
    return typename L::mask_type(L::ops::lt(L(b).data, L(a).data));
}
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator>=(A a, B b) {
    return typename L::mask_type(L::ops::le(L(b).data, L(a).data));
}

/// Lane-wise logic of masks; both sides are always evaluated.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator&(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) {
    return a &= b;
}
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator|(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) {
    return a |= b;
}
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator^(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) {
    return a ^= b;
}
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator&&(lane_mask<T, N, Config> a,
                                                                  lane_mask<T, N, Config> b) {
    return a &= b;
}
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator||(lane_mask<T, N, Config> a,
                                                                  lane_mask<T, N, Config> b) {
    return a |= b;
}

/// True where all lanes of a mask are.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool all_of(lane_mask<T, N, Config> m) {
    return lane_mask<T, N, Config>::ops::mask_all(m.data);
}
/// True where some lane of a mask is.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool any_of(lane_mask<T, N, Config> m) {
    return lane_mask<T, N, Config>::ops::mask_any(m.data);
}
/// True where no lane of a mask is.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool none_of(lane_mask<T, N, Config> m) {
    return !any_of(m);
}

/// a where the mask is true, b elsewhere; either may be a scalar.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> select(lane_mask<T, N, Config> m,
                                                                        std::type_identity_t<lanes<T, N, Config>> a,
                                                                        std::type_identity_t<lanes<T, N, Config>> b) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::select(m.data, a.data, b.data));
}
/// The same as `select`.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> where(lane_mask<T, N, Config> m,
                                                                       std::type_identity_t<lanes<T, N, Config>> a,
                                                                       std::type_identity_t<lanes<T, N, Config>> b) {
    return select(m, a, b);
}

/// a * b + c: one rounding where the machine has the instruction, two where it has not.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config>
fma(lanes<T, N, Config> a, std::type_identity_t<lanes<T, N, Config>> b, std::type_identity_t<lanes<T, N, Config>> c) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::fma(a.data, b.data, c.data));
}
/// a < b ? a : b. Where b is NaN the result is NaN; where only a is, the result is b on x86 (minps) and in array form,
/// and may be NaN elsewhere.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L min(A a, B b) {
    return L(L::ops::min(L(a).data, L(b).data));
}
/// a > b ? a : b. Where b is NaN the result is NaN; where only a is, the result is b on x86 (maxps) and in array form,
/// and may be NaN elsewhere.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L max(A a, B b) {
    return L(L::ops::max(L(a).data, L(b).data));
}
// The same for two lanes of one type: preferred to std::min and std::max where a using-directive makes those visible.
template <class L>
    requires is_lanes<L>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L min(const L& a, const L& b) {
    return L(L::ops::min(a.data, b.data));
}
template <class L>
    requires is_lanes<L>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L max(const L& a, const L& b) {
    return L(L::ops::max(a.data, b.data));
}
/// The magnitude; the least signed integer wraps to itself.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> abs(lanes<T, N, Config> a) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::abs(a.data));
}
/// The correctly rounded square root; NaN of negative numbers.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> sqrt(lanes<T, N, Config> a) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::sqrt(a.data));
}
/// The next integer at or below.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> floor(lanes<T, N, Config> a) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::floor(a.data));
}
/// The nearest integer, ties to even.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> round_nearest(lanes<T, N, Config> a) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::round(a.data));
}
/// Exactly rounded 1/x.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> reciprocal(lanes<T, N, Config> a) {
    return lanes<T, N, Config>(T(1)) / a;
}

/// The sum of all lanes, in an order fixed by N.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_add(lanes<T, N, Config> a) {
    return lanes<T, N, Config>::ops::reduce_add(a.data);
}
/// The largest lane, in the same order; NaN is not promised to get through.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_max(lanes<T, N, Config> a) {
    return lanes<T, N, Config>::ops::reduce_max(a.data);
}
/// The least lane, likewise.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_min(lanes<T, N, Config> a) {
    return lanes<T, N, Config>::ops::reduce_min(a.data);
}

/// static_cast<U> of every lane.
template <class U, class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<U, N, Config> convert_lanes(lanes<T, N, Config> a) {
    if constexpr (std::is_same_v<U, T>) {
        return a;
    } else if constexpr (detail::in_register<T, N, Config>() && detail::in_register<U, N, Config>()) {
        return lanes<U, N, Config>(lanes<T, N, Config>::ops::template convert<U>(a.data));
    } else {
        T from[N] = {};
        U to[N] = {};
        a.store(from);
        for (std::size_t i = 0; i < N; ++i)
            to[i] = static_cast<U>(from[i]);
        return lanes<U, N, Config>::load(to);
    }
}

/// The bits of every lane as a U of the same size.
template <class U, class T, std::size_t N, class Config>
    requires(sizeof(U) == sizeof(T))
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<U, N, Config> bit_cast_lanes(lanes<T, N, Config> a) {
    if constexpr (std::is_same_v<U, T>) {
        return a;
    } else if constexpr (detail::in_register<T, N, Config>() && detail::in_register<U, N, Config>()) {
        return lanes<U, N, Config>(lanes<T, N, Config>::ops::template bit_cast<U>(a.data));
    } else {
        T from[N] = {};
        U to[N] = {};
        a.store(from);
        for (std::size_t i = 0; i < N; ++i)
            to[i] = __builtin_bit_cast(U, from[i]);
        return lanes<U, N, Config>::load(to);
    }
}

/// The same truth values for lanes of another element type.
template <class U, class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lane_mask<U, N, Config> convert_mask(lane_mask<T, N, Config> m) {
    if constexpr (std::is_same_v<U, T>) {
        return m;
    } else if constexpr (detail::in_register<T, N, Config>() && detail::in_register<U, N, Config>()) {
        return lane_mask<U, N, Config>(lane_mask<T, N, Config>::ops::template convert_mask<U>(m.data));
    } else {
        bool values[N] = {};
        m.store(values);
        return lane_mask<U, N, Config>::load(values);
    }
}

/// The same value, about which the optimiser knows nothing: it is neither recomputed, nor folded into its use, nor
/// reassociated. Does nothing in constant expressions.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> opaque(lanes<T, N, Config> a) {
    if (!__builtin_is_constant_evaluated())
        return lanes<T, N, Config>(lanes<T, N, Config>::ops::opaque(a.data));
    return a;
}

}  // namespace ashlar
