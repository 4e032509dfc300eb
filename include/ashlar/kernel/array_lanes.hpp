// SPDX-License-Identifier: BSL-1.0
// Lanes as a plain array: one lane in constant expressions, and every width no register of this build has.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/instruction_sets.hpp>
#include <ashlar/kernel/scalar_ops.hpp>

#include <cstddef>
#include <type_traits>

namespace ashlar::detail {

template <class T, std::size_t N>
struct lane_array {
    T values[N];
};

/// 0, 1, 2, ...
template <class T, std::size_t N>
consteval lane_array<T, N> counted_lanes() {
    lane_array<T, N> result{};
    for (std::size_t i = 0; i < N; ++i)
        result.values[i] = static_cast<T>(i);
    return result;
}

/// What `lanes` does, one function per operation. This form is an array and loops, all of it constexpr;
/// kernel/simd.hpp specialises it for registers.
template <class T, std::size_t N, class Config>
struct lane_ops {
    static_assert(!in_register<T, N, Config>(),
                  "ashlar: lanes: this width is a register here; include <ashlar/kernel/simd.hpp>");
    static_assert(!std::is_same_v<T, bool>, "ashlar: lanes: there are no lanes of bool; use lane_mask");
    using storage = lane_array<T, N>;
    using mask = lane_array<bool, N>;
    using scalar = scalar_ops<T>;
    static constexpr bool scales = false;

    template <class Result = T, class F, class... Operands>
    ASHLAR_ALWAYS_INLINE static constexpr lane_array<Result, N> each(F f, const Operands&... operands) {
        lane_array<Result, N> result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = f(operands.values[i]...);
        return result;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage broadcast(T value) {
        storage result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = value;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage load(const T* source) {
        storage result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store(storage a, T* target) {
        for (std::size_t i = 0; i < N; ++i)
            target[i] = a.values[i];
    }
    // Bounded loops: a condition on each lane becomes a masked load, which g++ 12 turns into a whole load and a blend.
    ASHLAR_ALWAYS_INLINE static constexpr storage load_partial(const T* source, std::size_t count) {
        storage result{};
        for (std::size_t i = 0; i < N && i < count; ++i)
            result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store_partial(storage a, T* target, std::size_t count) {
        for (std::size_t i = 0; i < N && i < count; ++i)
            target[i] = a.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage gather_strided(const T* source, std::ptrdiff_t stride) {
        storage result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = source[static_cast<std::ptrdiff_t>(i) * stride];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage iota() {
        storage result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = static_cast<T>(i);
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T get(storage a, std::size_t i) { return a.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr storage insert(storage a, std::size_t i, T value) {
        a.values[i] = value;
        return a;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage add(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage sub(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::sub(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage mul(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::mul(x, y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage div(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x / y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage rem(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x % y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage neg(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::neg(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_and(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x & y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_or(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x | y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_xor(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x ^ y); }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_not(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return static_cast<T>(~x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, int count) {
        return each([count](T x) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, count); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, int count) {
        return each([count](T x) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x >> count); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, storage count) {
        return each([](T x, T n) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, static_cast<int>(n)); }, a, count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, storage count) {
        return each([](T x, T n) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x >> n); }, a, count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage fma(storage a, storage b, storage c) {
        return each([](T x, T y, T z) ASHLAR_LAMBDA_INLINE { return scalar::add(scalar::mul(x, y), z); }, a, b, c);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage min(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage max(storage a, storage b) {
        return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage abs(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::abs(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage sqrt(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::sqrt(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage floor(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::floor(x); }, a);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage round(storage a) {
        return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::round(x); }, a);
    }

    ASHLAR_ALWAYS_INLINE static constexpr mask eq(storage a, storage b) {
        return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x == y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask ne(storage a, storage b) {
        return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask lt(storage a, storage b) {
        return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask le(storage a, storage b) {
        return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x <= y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage select(mask m, storage a, storage b) {
        return each([](bool keep, T x, T y) ASHLAR_LAMBDA_INLINE { return keep ? x : y; }, m, a, b);
    }

    /// Halves are combined until one lane is left, the order in which registers do it.
    template <class F>
    ASHLAR_ALWAYS_INLINE static constexpr T reduce(storage a, F f) {
        std::size_t width = N;
        while (width > 1) {
            const std::size_t half = (width + 1) / 2;
            for (std::size_t i = 0; i + half < width; ++i)
                a.values[i] = f(a.values[i], a.values[i + half]);
            width = half;
        }
        return a.values[0];
    }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_add(storage a) {
        return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); });
    }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_max(storage a) {
        return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; });
    }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_min(storage a) {
        return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; });
    }

    ASHLAR_ALWAYS_INLINE static constexpr mask mask_broadcast(bool value) {
        return each<bool>([value](bool) ASHLAR_LAMBDA_INLINE { return value; }, mask{});
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_first(std::size_t count) {
        mask result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = i < count;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load(const bool* source) {
        mask result;
        for (std::size_t i = 0; i < N; ++i)
            result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load_partial(const bool* source, std::size_t count) {
        mask result{};
        for (std::size_t i = 0; i < N && i < count; ++i)
            result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void mask_store(mask m, bool* target) {
        for (std::size_t i = 0; i < N; ++i)
            target[i] = m.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_get(mask m, std::size_t i) { return m.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_and(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x && y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_or(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x || y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_xor(mask a, mask b) {
        return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b);
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_not(mask a) {
        return each<bool>([](bool x) ASHLAR_LAMBDA_INLINE { return !x; }, a);
    }
    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) {
        for (std::size_t i = 0; i < N; ++i) {
            T value = a.values[i];
#if defined(__SSE2_MATH__)
            if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8)
                __asm__("" : "+x"(value));
            else
                __asm__("" : "+m"(value));
#elif defined(__aarch64__)
            if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8)
                __asm__("" : "+w"(value));
            else
                __asm__("" : "+m"(value));
#else
            __asm__("" : "+m"(value));
#endif
            a.values[i] = value;
        }
        return a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_all(mask m) {
        for (std::size_t i = 0; i < N; ++i)
            if (!m.values[i])
                return false;
        return true;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_any(mask m) {
        for (std::size_t i = 0; i < N; ++i)
            if (m.values[i])
                return true;
        return false;
    }
};

}  // namespace ashlar::detail
