// SPDX-License-Identifier: BSL-1.0
// Lanes as a plain array: one lane in constant expressions, and every width no register of this build has.
#pragma once

#include <ashlar/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace ashlar::detail {

/// True where `N` values of type `T` fill one vector register under `Config`. It follows from the type alone, so
/// that no two translation units can disagree about what a `lanes` type is.
template <class T, std::size_t N, class Config>
consteval bool in_register() {
    constexpr std::uint64_t sets = Config::instruction_sets;
    constexpr std::size_t bits = N * sizeof(T) * 8;
    constexpr std::uint64_t scalable_bits = (sets >> 32) & 0xffff;
    auto has = [](int set) { return ((sets >> set) & 1) != 0; };
    if (N == 1 || !std::is_arithmetic_v<T> || sizeof(T) > 8 || (sets >> 48) != 0) return false;
    if (std::is_floating_point_v<T> && sizeof(T) != 4 && !(sizeof(T) == 8 && std::numeric_limits<T>::digits == 53)) return false;
    if ((bits == 128 && has(0)) || (bits == 256 && has(5))) return true;
    if (bits == 512 && has(9)) return sizeof(T) >= 4 || has(10);
    if (bits == 128 && has(17)) return has(18) || !(std::is_floating_point_v<T> && sizeof(T) == 8);
    if (bits == 128 && (has(19) || has(20))) return true;
    return (bits == 128 || bits == 256 || bits == 512) && bits == scalable_bits;
}

/// Signed and unsigned integers of a given number of bytes.
template <std::size_t Bytes>
using signed_of_size = std::conditional_t<Bytes == 1, std::int8_t, std::conditional_t<Bytes == 2, std::int16_t, std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;
template <std::size_t Bytes>
using unsigned_of_size = std::make_unsigned_t<signed_of_size<Bytes>>;

/// Integer arithmetic in which overflow wraps, as it does in vector registers; everything else as the language says.
template <class T>
struct scalar_ops {
    using wrapping = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, unsigned_of_size<sizeof(T) <= 8 ? sizeof(T) : 8>>;
    static constexpr bool wraps = std::is_integral_v<T>;

    ASHLAR_ALWAYS_INLINE static constexpr T add(T a, T b) {
        if constexpr (wraps) return static_cast<T>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
        else return a + b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T sub(T a, T b) {
        if constexpr (wraps) return static_cast<T>(static_cast<wrapping>(a) - static_cast<wrapping>(b));
        else return a - b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T mul(T a, T b) {
        if constexpr (wraps) return static_cast<T>(static_cast<wrapping>(a) * static_cast<wrapping>(b));
        else return a * b;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T neg(T a) {
        if constexpr (wraps) return static_cast<T>(wrapping{0} - static_cast<wrapping>(a));
        else return -a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T shl(T a, int count) {
        return static_cast<T>(static_cast<wrapping>(a) << count);
    }
    ASHLAR_ALWAYS_INLINE static constexpr T abs(T a) {
        if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) {
            using bits = unsigned_of_size<sizeof(T)>;
            return __builtin_bit_cast(T, static_cast<bits>(__builtin_bit_cast(bits, a) & (static_cast<bits>(-1) >> 1)));
        } else if constexpr (std::is_unsigned_v<T>) {
            return a;
        } else {
            return a < T(0) ? neg(a) : a;
        }
    }

    /// Above this magnitude every value is an integer.
    static constexpr T whole = std::is_same_v<T, float> ? T(8388608) : T(4503599627370496LL);
    using whole_int = std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::int64_t>;

    ASHLAR_ALWAYS_INLINE static constexpr T with_sign_of(T magnitude, T sign) {
        using bits = unsigned_of_size<sizeof(T)>;
        constexpr bits sign_bit = static_cast<bits>(bits{1} << (sizeof(T) * 8 - 1));
        return __builtin_bit_cast(T, static_cast<bits>(__builtin_bit_cast(bits, magnitude) | (__builtin_bit_cast(bits, sign) & sign_bit)));
    }
    ASHLAR_ALWAYS_INLINE static constexpr T floor(T a) {
        if (!(abs(a) < whole)) return a;
        const T cut = static_cast<T>(static_cast<whole_int>(a));
        return with_sign_of(cut > a ? cut - T(1) : cut, a);
    }
    /// Ties to even, through integers so that no optimisation flag can fold it away.
    ASHLAR_ALWAYS_INLINE static constexpr T round(T a) {
        if (!(abs(a) < whole)) return a;
        const whole_int cut = static_cast<whole_int>(a);
        const T rest = a - static_cast<T>(cut);
        const whole_int odd = cut & 1;
        const whole_int up = (rest > T(0.5) || (rest == T(0.5) && odd)) ? 1 : 0;
        const whole_int down = (rest < T(-0.5) || (rest == T(-0.5) && odd)) ? 1 : 0;
        return with_sign_of(static_cast<T>(cut + up - down), a);
    }

    /// The square root, correctly rounded where the machine has an instruction; Newton's method elsewhere (and in
    /// constant expressions). Never a library call, which std::sqrt becomes for the sake of errno.
    ASHLAR_ALWAYS_INLINE static constexpr T sqrt(T a) {
        if (!__builtin_is_constant_evaluated()) {
#if defined(__AVX__)
            T root;
            if constexpr (std::is_same_v<T, float>) __asm__("vsqrtss {%1, %1, %0|%0, %1, %1}" : "=x"(root) : "x"(a));
            else __asm__("vsqrtsd {%1, %1, %0|%0, %1, %1}" : "=x"(root) : "x"(a));
            return root;
#elif defined(__SSE2__)
            T root;
            if constexpr (std::is_same_v<T, float>) __asm__("sqrtss {%1, %0|%0, %1}" : "=x"(root) : "x"(a));
            else __asm__("sqrtsd {%1, %0|%0, %1}" : "=x"(root) : "x"(a));
            return root;
#elif defined(__i386__)
            __asm__("fsqrt" : "+t"(a));
            return a;
#elif defined(__aarch64__)
            T root;
            if constexpr (std::is_same_v<T, float>) __asm__("fsqrt %s0, %s1" : "=w"(root) : "w"(a));
            else __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(a));
            return root;
#elif defined(__ARM_FP) && (__ARM_FP & 4)
            if constexpr (std::is_same_v<T, float>) {
                T root;
                __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(a));
                return root;
            }
#if __ARM_FP & 8
            if constexpr (std::is_same_v<T, double>) {
                T root;
                __asm__("vsqrt.f64 %P0, %P1" : "=w"(root) : "w"(a));
                return root;
            }
#endif
#elif defined(__riscv_flen) && __riscv_flen >= 64
            T root;
            if constexpr (std::is_same_v<T, float>) __asm__("fsqrt.s %0, %1" : "=f"(root) : "f"(a));
            else __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(a));
            return root;
#elif defined(__wasm__)
            if constexpr (std::is_same_v<T, float>) return __builtin_sqrtf(a);
            else return __builtin_sqrt(a);
#endif
        }
        using bits = unsigned_of_size<sizeof(T)>;
        constexpr int mantissa = std::numeric_limits<T>::digits - 1;
        constexpr bits infinity = static_cast<bits>((bits{1} << (sizeof(T) * 8 - 1)) - (bits{1} << mantissa));
        const bits pattern = __builtin_bit_cast(bits, a);
        if (static_cast<bits>(pattern << 1) == 0 || pattern == infinity || (pattern & (infinity << 1 >> 1)) > infinity) return a;
        if (pattern > infinity) return __builtin_bit_cast(T, static_cast<bits>(infinity | (bits{1} << (mantissa - 1))));
        T scale = 1;
        if (pattern < (bits{unsigned_of_size<sizeof(T)>(std::numeric_limits<T>::max_exponent) / 2} << mantissa)) {
            // Small ones are lifted, so that no remainder below is denormal.
            constexpr T lift = T(bits{1} << (mantissa + 1));
            a *= lift * lift;
            scale = T(1) / lift;
        }
        // Halving the exponent in the bits is within 6%; four steps square that below half an ulp of double.
        T root = __builtin_bit_cast(T, static_cast<bits>((__builtin_bit_cast(bits, a) >> 1) + (__builtin_bit_cast(bits, T(1)) >> 1)));
        for (int step = 0; step < 4; ++step) root = T(0.5) * (root + a / root);
        // The last ulp from the exact remainder: halves of a mantissa have exact products.
        const T high = __builtin_bit_cast(T, static_cast<bits>(__builtin_bit_cast(bits, root) & ~((bits{1} << (mantissa / 2 + 1)) - 1)));
        const T low = root - high;
        const T remainder = ((a - high * high) - T(2) * high * low) - low * low;
        return (root + remainder / (root + root)) * scale;
    }
};

template <class T, std::size_t N>
struct lane_array {
    T values[N];
};

/// 0, 1, 2, ...
template <class T, std::size_t N>
consteval lane_array<T, N> counted_lanes() {
    lane_array<T, N> result{};
    for (std::size_t i = 0; i < N; ++i) result.values[i] = static_cast<T>(i);
    return result;
}

/// What `lanes` does, one function per operation. This form is an array and loops, all of it constexpr;
/// kernel/simd.hpp specialises it for registers.
template <class T, std::size_t N, class Config>
struct lane_ops {
    static_assert(!in_register<T, N, Config>(), "ashlar: lanes: this width is a register here; include <ashlar/kernel/simd.hpp>");
    static_assert(!std::is_same_v<T, bool>, "ashlar: lanes: there are no lanes of bool; use lane_mask");
    using storage = lane_array<T, N>;
    using mask = lane_array<bool, N>;
    using scalar = scalar_ops<T>;
    static constexpr bool scales = false;

    template <class Result = T, class F, class... Operands>
    ASHLAR_ALWAYS_INLINE static constexpr lane_array<Result, N> each(F f, const Operands&... operands) {
        lane_array<Result, N> result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = f(operands.values[i]...);
        return result;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage broadcast(T value) {
        storage result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = value;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage load(const T* source) {
        storage result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store(storage a, T* target) {
        for (std::size_t i = 0; i < N; ++i) target[i] = a.values[i];
    }
    // Bounded loops: a condition on each lane becomes a masked load, which g++ 12 turns into a whole load and a blend.
    ASHLAR_ALWAYS_INLINE static constexpr storage load_partial(const T* source, std::size_t count) {
        storage result{};
        for (std::size_t i = 0; i < N && i < count; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void store_partial(storage a, T* target, std::size_t count) {
        for (std::size_t i = 0; i < N && i < count; ++i) target[i] = a.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage gather_strided(const T* source, std::ptrdiff_t stride) {
        storage result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = source[static_cast<std::ptrdiff_t>(i) * stride];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr storage iota() {
        storage result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = static_cast<T>(i);
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr T get(storage a, std::size_t i) { return a.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr storage insert(storage a, std::size_t i, T value) {
        a.values[i] = value;
        return a;
    }

    ASHLAR_ALWAYS_INLINE static constexpr storage add(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage sub(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::sub(x, y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage mul(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::mul(x, y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage div(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x / y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage rem(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x % y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage neg(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::neg(x); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_and(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x & y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_or(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x | y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_xor(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x ^ y); }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage bit_not(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return static_cast<T>(~x); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, int count) { return each([count](T x) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, count); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, int count) { return each([count](T x) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x >> count); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage shl(storage a, storage count) { return each([](T x, T n) ASHLAR_LAMBDA_INLINE { return scalar::shl(x, static_cast<int>(n)); }, a, count); }
    ASHLAR_ALWAYS_INLINE static constexpr storage shr(storage a, storage count) { return each([](T x, T n) ASHLAR_LAMBDA_INLINE { return static_cast<T>(x >> n); }, a, count); }
    ASHLAR_ALWAYS_INLINE static constexpr storage fma(storage a, storage b, storage c) { return each([](T x, T y, T z) ASHLAR_LAMBDA_INLINE { return scalar::add(scalar::mul(x, y), z); }, a, b, c); }
    ASHLAR_ALWAYS_INLINE static constexpr storage min(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage max(storage a, storage b) { return each([](T x, T y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage abs(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::abs(x); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage sqrt(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::sqrt(x); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage floor(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::floor(x); }, a); }
    ASHLAR_ALWAYS_INLINE static constexpr storage round(storage a) { return each([](T x) ASHLAR_LAMBDA_INLINE { return scalar::round(x); }, a); }

    ASHLAR_ALWAYS_INLINE static constexpr mask eq(storage a, storage b) { return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x == y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask ne(storage a, storage b) { return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask lt(storage a, storage b) { return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask le(storage a, storage b) { return each<bool>([](T x, T y) ASHLAR_LAMBDA_INLINE { return x <= y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr storage select(mask m, storage a, storage b) { return each([](bool keep, T x, T y) ASHLAR_LAMBDA_INLINE { return keep ? x : y; }, m, a, b); }

    /// Halves are combined until one lane is left, the order in which registers do it.
    template <class F>
    ASHLAR_ALWAYS_INLINE static constexpr T reduce(storage a, F f) {
        std::size_t width = N;
        while (width > 1) {
            const std::size_t half = (width + 1) / 2;
            for (std::size_t i = 0; i + half < width; ++i) a.values[i] = f(a.values[i], a.values[i + half]);
            width = half;
        }
        return a.values[0];
    }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_add(storage a) { return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return scalar::add(x, y); }); }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_max(storage a) { return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return x > y ? x : y; }); }
    ASHLAR_ALWAYS_INLINE static constexpr T reduce_min(storage a) { return reduce(a, [](T x, T y) ASHLAR_LAMBDA_INLINE { return x < y ? x : y; }); }

    ASHLAR_ALWAYS_INLINE static constexpr mask mask_broadcast(bool value) { return each<bool>([value](bool) ASHLAR_LAMBDA_INLINE { return value; }, mask{}); }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_first(std::size_t count) {
        mask result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = i < count;
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load(const bool* source) {
        mask result;
        for (std::size_t i = 0; i < N; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_load_partial(const bool* source, std::size_t count) {
        mask result{};
        for (std::size_t i = 0; i < N && i < count; ++i) result.values[i] = source[i];
        return result;
    }
    ASHLAR_ALWAYS_INLINE static constexpr void mask_store(mask m, bool* target) {
        for (std::size_t i = 0; i < N; ++i) target[i] = m.values[i];
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_get(mask m, std::size_t i) { return m.values[i]; }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_and(mask a, mask b) { return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x && y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_or(mask a, mask b) { return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x || y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_xor(mask a, mask b) { return each<bool>([](bool x, bool y) ASHLAR_LAMBDA_INLINE { return x != y; }, a, b); }
    ASHLAR_ALWAYS_INLINE static constexpr mask mask_not(mask a) { return each<bool>([](bool x) ASHLAR_LAMBDA_INLINE { return !x; }, a); }
    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) {
        for (std::size_t i = 0; i < N; ++i) {
            T value = a.values[i];
#if defined(__SSE2_MATH__)
            if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) __asm__("" : "+x"(value));
            else __asm__("" : "+m"(value));
#elif defined(__aarch64__)
            if constexpr (std::is_floating_point_v<T> && sizeof(T) <= 8) __asm__("" : "+w"(value));
            else __asm__("" : "+m"(value));
#else
            __asm__("" : "+m"(value));
#endif
            a.values[i] = value;
        }
        return a;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_all(mask m) {
        for (std::size_t i = 0; i < N; ++i)
            if (!m.values[i]) return false;
        return true;
    }
    ASHLAR_ALWAYS_INLINE static constexpr bool mask_any(mask m) {
        for (std::size_t i = 0; i < N; ++i)
            if (m.values[i]) return true;
        return false;
    }
};

}  // namespace ashlar::detail
