// SPDX-License-Identifier: BSL-1.0
// N values computed side by side, and masks over them: the interface, the same for registers and for arrays.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/array_lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// Lanes of `T` in one register of this build; at least 1.
template <class T, class Config = current_config>
inline constexpr std::size_t lane_width = Config::register_bits / 8 / sizeof(T) > 1 ? Config::register_bits / 8 / sizeof(T) : 1;

template <class T, std::size_t N, class Config>
struct lane_mask;

/// `N` values of arithmetic type `T`: a vector register where this build has one of that size (with
/// <ashlar/kernel/simd.hpp> included), an array otherwise. One lane is always an array and works in constant
/// expressions. Uninitialised unless built from a value.
///
///     using f = lanes<float, lane_width<float>>;
///     f y = max(f::load(x) * 2 + 0.5f, 0);
template <class T, std::size_t N, class Config = current_config>
struct lanes {
    using value_type = T;
    using config_type = Config;
    using mask_type = lane_mask<T, N, Config>;
    using ops = detail::lane_ops<T, N, Config>;
    using storage = typename ops::storage;
    static constexpr std::size_t size = N;

    storage data;

    lanes() = default;
    /// The representation itself; for kernel/simd.hpp and the functions below.
    ASHLAR_ALWAYS_INLINE constexpr explicit lanes(storage value) : data(value) {}
    /// The same value in all lanes, converted to T.
    template <class S>
        requires std::is_arithmetic_v<S>
    ASHLAR_ALWAYS_INLINE constexpr lanes(S value) : data(ops::broadcast(static_cast<T>(value))) {}

    /// N consecutive values from any address that is aligned for T.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load(const T* source) { return lanes(ops::load(source)); }
    /// The first `count` <= N values; the other lanes are zero and their memory is not touched.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load_partial(const T* source, std::size_t count) { return lanes(ops::load_partial(source, count)); }
    /// The same with a constant count, which needs no mask arithmetic.
    template <std::size_t Count>
        requires (Count <= N)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load_partial(const T* source) {
        if constexpr (Count == N) return load(source);
        else if constexpr (Count == 0) return lanes(T(0));
        else return lanes(ops::load_partial(source, Count));
    }
    /// Every `stride`-th value, from source[0] on; a negative stride goes down.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes gather_strided(const T* source, std::ptrdiff_t stride) { return lanes(ops::gather_strided(source, stride)); }
    /// 0, 1, 2, ...
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes iota() { return lanes(ops::iota()); }

    ASHLAR_ALWAYS_INLINE constexpr void store(T* target) const { ops::store(data, target); }
    /// Writes the first `count` <= N lanes and touches nothing else.
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(T* target, std::size_t count) const { ops::store_partial(data, target, count); }
    template <std::size_t Count>
        requires (Count <= N)
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(T* target) const {
        if constexpr (Count == N) store(target);
        else if constexpr (Count != 0) ops::store_partial(data, target, Count);
    }

    /// One lane; slow for registers, which go through memory.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T operator[](std::size_t i) const { return ops::get(data, i); }
    /// The same lanes with lane `i` replaced; slow for registers.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes insert(std::size_t i, T value) const { return lanes(ops::insert(data, i, value)); }

    ASHLAR_ALWAYS_INLINE constexpr lanes& operator+=(lanes b) { return *this = lanes(ops::add(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator-=(lanes b) { return *this = lanes(ops::sub(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator*=(lanes b) { return *this = lanes(ops::mul(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator/=(lanes b) { return *this = lanes(ops::div(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator&=(lanes b) requires std::is_integral_v<T> { return *this = lanes(ops::bit_and(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator|=(lanes b) requires std::is_integral_v<T> { return *this = lanes(ops::bit_or(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator^=(lanes b) requires std::is_integral_v<T> { return *this = lanes(ops::bit_xor(data, b.data)); }

    ASHLAR_ALWAYS_INLINE constexpr lanes operator+() const { return *this; }
    ASHLAR_ALWAYS_INLINE constexpr lanes operator-() const { return lanes(ops::neg(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes operator~() const requires std::is_integral_v<T> { return lanes(ops::bit_not(data)); }
};

/// One truth value for each lane of a `lanes<T, N, Config>`.
template <class T, std::size_t N, class Config = current_config>
struct lane_mask {
    using operand_type = lanes<T, N, Config>;
    using ops = detail::lane_ops<T, N, Config>;
    using storage = typename ops::mask;
    static constexpr std::size_t size = N;

    storage data;

    lane_mask() = default;
    ASHLAR_ALWAYS_INLINE constexpr explicit lane_mask(storage value) : data(value) {}
    /// The same truth value in all lanes.
    template <class B>
        requires std::is_same_v<B, bool>
    ASHLAR_ALWAYS_INLINE constexpr lane_mask(B value) : data(ops::mask_broadcast(value)) {}

    /// True in the lanes below `count`.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask first(std::size_t count) { return lane_mask(ops::mask_first(count)); }
    /// From N bools.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask load(const bool* source) { return lane_mask(ops::mask_load(source)); }
    /// From the first `count` <= N bools; the other lanes are false and their memory is not touched.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask load_partial(const bool* source, std::size_t count) { return lane_mask(ops::mask_load_partial(source, count)); }
    ASHLAR_ALWAYS_INLINE constexpr void store(bool* target) const { ops::mask_store(data, target); }
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(bool* target, std::size_t count) const {
        bool values[N] = {};
        store(values);
        for (std::size_t i = 0; i < N && i < count; ++i) target[i] = values[i];
    }
    /// One lane; slow for registers.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool operator[](std::size_t i) const { return ops::mask_get(data, i); }

    ASHLAR_ALWAYS_INLINE constexpr lane_mask operator!() const { return lane_mask(ops::mask_not(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask operator~() const { return lane_mask(ops::mask_not(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator&=(lane_mask b) { return *this = lane_mask(ops::mask_and(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator|=(lane_mask b) { return *this = lane_mask(ops::mask_or(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator^=(lane_mask b) { return *this = lane_mask(ops::mask_xor(data, b.data)); }
};

/// True for every `lanes` type.
template <class L>
inline constexpr bool is_lanes = false;
template <class T, std::size_t N, class Config>
inline constexpr bool is_lanes<lanes<T, N, Config>> = true;

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
using common_integer_lanes_t = std::enable_if_t<std::is_integral_v<typename common_lanes<A, B>::type::value_type>, typename common_lanes<A, B>::type>;

}  // namespace detail

template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator+(A a, B b) { return L(L::ops::add(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator-(A a, B b) { return L(L::ops::sub(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator*(A a, B b) { return L(L::ops::mul(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator/(A a, B b) { return L(L::ops::div(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator%(A a, B b) { return L(L::ops::rem(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator&(A a, B b) { return L(L::ops::bit_and(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator|(A a, B b) { return L(L::ops::bit_or(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_integer_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr L operator^(A a, B b) { return L(L::ops::bit_xor(L(a).data, L(b).data)); }

/// Shifts by a count for all lanes, or by one count per lane; 0 <= count < bits of T. Right shifts of signed lanes
/// keep the sign.
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator<<(lanes<T, N, Config> a, int count) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::shl(a.data, count)); }
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator>>(lanes<T, N, Config> a, int count) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::shr(a.data, count)); }
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator<<(lanes<T, N, Config> a, lanes<T, N, Config> counts) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::shl(a.data, counts.data)); }
template <class T, std::size_t N, class Config>
    requires std::is_integral_v<T>
ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> operator>>(lanes<T, N, Config> a, lanes<T, N, Config> counts) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::shr(a.data, counts.data)); }

template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator==(A a, B b) { return typename L::mask_type(L::ops::eq(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator!=(A a, B b) { return typename L::mask_type(L::ops::ne(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator<(A a, B b) { return typename L::mask_type(L::ops::lt(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator<=(A a, B b) { return typename L::mask_type(L::ops::le(L(a).data, L(b).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator>(A a, B b) { return typename L::mask_type(L::ops::lt(L(b).data, L(a).data)); }
template <class A, class B, class L = detail::common_lanes_t<A, B>>
ASHLAR_ALWAYS_INLINE constexpr typename L::mask_type operator>=(A a, B b) { return typename L::mask_type(L::ops::le(L(b).data, L(a).data)); }

/// Lane-wise logic of masks; both sides are always evaluated.
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator&(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) { return a &= b; }
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator|(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) { return a |= b; }
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator^(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) { return a ^= b; }
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator&&(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) { return a &= b; }
template <class T, std::size_t N, class Config>
ASHLAR_ALWAYS_INLINE constexpr lane_mask<T, N, Config> operator||(lane_mask<T, N, Config> a, lane_mask<T, N, Config> b) { return a |= b; }

template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool all_of(lane_mask<T, N, Config> m) { return lane_mask<T, N, Config>::ops::mask_all(m.data); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool any_of(lane_mask<T, N, Config> m) { return lane_mask<T, N, Config>::ops::mask_any(m.data); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool none_of(lane_mask<T, N, Config> m) { return !any_of(m); }

/// a where the mask is true, b elsewhere; either may be a scalar.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> select(lane_mask<T, N, Config> m, std::type_identity_t<lanes<T, N, Config>> a, std::type_identity_t<lanes<T, N, Config>> b) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::select(m.data, a.data, b.data));
}
/// The same as `select`.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> where(lane_mask<T, N, Config> m, std::type_identity_t<lanes<T, N, Config>> a, std::type_identity_t<lanes<T, N, Config>> b) {
    return select(m, a, b);
}

/// a * b + c: one rounding where the machine has the instruction, two where it has not.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> fma(lanes<T, N, Config> a, std::type_identity_t<lanes<T, N, Config>> b, std::type_identity_t<lanes<T, N, Config>> c) {
    return lanes<T, N, Config>(lanes<T, N, Config>::ops::fma(a.data, b.data, c.data));
}
/// a < b ? a : b. Where b is NaN the result is NaN; where only a is, the result is b on x86 (minps) and in array form,
/// and may be NaN elsewhere.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L min(A a, B b) { return L(L::ops::min(L(a).data, L(b).data)); }
/// a > b ? a : b. Where b is NaN the result is NaN; where only a is, the result is b on x86 (maxps) and in array form,
/// and may be NaN elsewhere.
template <class A, class B, class L = detail::common_lanes_t<A, B>>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L max(A a, B b) { return L(L::ops::max(L(a).data, L(b).data)); }
// The same for two lanes of one type: preferred to std::min and std::max where a using-directive makes those visible.
template <class L>
    requires is_lanes<L>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L min(const L& a, const L& b) { return L(L::ops::min(a.data, b.data)); }
template <class L>
    requires is_lanes<L>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr L max(const L& a, const L& b) { return L(L::ops::max(a.data, b.data)); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> abs(lanes<T, N, Config> a) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::abs(a.data)); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> sqrt(lanes<T, N, Config> a) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::sqrt(a.data)); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> floor(lanes<T, N, Config> a) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::floor(a.data)); }
/// The nearest integer, ties to even.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> round_nearest(lanes<T, N, Config> a) { return lanes<T, N, Config>(lanes<T, N, Config>::ops::round(a.data)); }
/// Exactly rounded 1/x.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<T, N, Config> reciprocal(lanes<T, N, Config> a) { return lanes<T, N, Config>(T(1)) / a; }

/// The sum of all lanes, in an order fixed by N.
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_add(lanes<T, N, Config> a) { return lanes<T, N, Config>::ops::reduce_add(a.data); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_max(lanes<T, N, Config> a) { return lanes<T, N, Config>::ops::reduce_max(a.data); }
template <class T, std::size_t N, class Config>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr T reduce_min(lanes<T, N, Config> a) { return lanes<T, N, Config>::ops::reduce_min(a.data); }

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
        for (std::size_t i = 0; i < N; ++i) to[i] = static_cast<U>(from[i]);
        return lanes<U, N, Config>::load(to);
    }
}

/// The bits of every lane as a U of the same size.
template <class U, class T, std::size_t N, class Config>
    requires (sizeof(U) == sizeof(T))
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes<U, N, Config> bit_cast_lanes(lanes<T, N, Config> a) {
    if constexpr (std::is_same_v<U, T>) {
        return a;
    } else if constexpr (detail::in_register<T, N, Config>() && detail::in_register<U, N, Config>()) {
        return lanes<U, N, Config>(lanes<T, N, Config>::ops::template bit_cast<U>(a.data));
    } else {
        T from[N] = {};
        U to[N] = {};
        a.store(from);
        for (std::size_t i = 0; i < N; ++i) to[i] = __builtin_bit_cast(U, from[i]);
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
    if (!__builtin_is_constant_evaluated()) return lanes<T, N, Config>(lanes<T, N, Config>::ops::opaque(a.data));
    return a;
}

}  // namespace ashlar
