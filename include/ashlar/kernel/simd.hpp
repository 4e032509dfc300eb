// SPDX-License-Identifier: BSL-1.0
// The only door to xsimd: what `lanes` does where this build has a register of its size.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/lanes.hpp>

#if !defined(ASHLAR_EMULATED_WIDTH) && (defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__) || defined(__VSX__) || defined(__ARM_FEATURE_SVE_BITS) || defined(__riscv_v_fixed_vlen))

// g++ 12 takes the deliberately undefined operands inside its own AVX-512 intrinsics for mistakes (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#if XSIMD_VERSION_MAJOR < 14 || (XSIMD_VERSION_MAJOR == 14 && XSIMD_VERSION_MINOR < 3)
#error "ashlar: needs xsimd 14.3 or newer; an older one comes first in the include path"
#endif

namespace ashlar::detail {

/// The fixed-width type that stands for T in registers: long, char and the like have no batches of their own.
template <class T>
using lane_element = std::conditional_t<std::is_floating_point_v<T>, T, std::conditional_t<std::is_signed_v<T>, signed_of_size<sizeof(T)>, unsigned_of_size<sizeof(T)>>>;

/// The batch of exactly N lanes: of the widest architecture if it fits, else of a narrower one.
template <class T, std::size_t N>
using register_batch = typename std::conditional_t<xsimd::batch<lane_element<T>>::size == N, std::type_identity<xsimd::batch<lane_element<T>>>, xsimd::make_sized_batch<lane_element<T>, N>>::type;

/// Vectors in the compiler's own notation, for what it does better than xsimd. Scalable registers have none.
template <class T, std::size_t N>
struct gnu_vector {
    typedef lane_element<T> type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, std::size_t N>
using gnu_vector_t = typename gnu_vector<T, N>::type;

template <class T, std::size_t N, class Config>
    requires (in_register<T, N, Config>())
struct lane_ops<T, N, Config> {
    static_assert(Config::instruction_sets == detail::instruction_sets(), "ashlar: lanes: Config names instruction sets this file is not compiled for");
    static_assert(!std::is_same_v<T, bool>, "ashlar: lanes: there are no lanes of bool; use lane_mask");
    using element = lane_element<T>;
    using storage = register_batch<T, N>;
    static_assert(!std::is_void_v<storage>, "ashlar: lanes: xsimd has no batch of this size; compile with ASHLAR_EMULATED_WIDTH");
    using mask = typename storage::batch_bool_type;
    using counter = signed_of_size<sizeof(T)>;
    using vector = gnu_vector_t<T, N>;
    /// One bit per lane in a mask register, as AVX-512 has them, rather than a vector of zeros and ones.
    static constexpr bool bit_masks = sizeof(mask) != sizeof(storage);
    static constexpr bool has_avx512vl = ((Config::instruction_sets >> 12) & 1) != 0;

    ASHLAR_ALWAYS_INLINE static vector raw(storage a) {
#if defined(__ARM_FEATURE_SVE_BITS) || defined(__riscv_v_fixed_vlen)
        vector result;
        a.store_unaligned(reinterpret_cast<element*>(&result));
        return result;
#else
        return __builtin_bit_cast(vector, a.data);
#endif
    }
    ASHLAR_ALWAYS_INLINE static storage from_raw(vector a) {
#if defined(__ARM_FEATURE_SVE_BITS) || defined(__riscv_v_fixed_vlen)
        return storage::load_unaligned(reinterpret_cast<const element*>(&a));
#else
        return storage(__builtin_bit_cast(typename storage::register_type, a));
#endif
    }

    // Element by element into registers: a detour through memory would stall the load that follows the stores.
    template <class F, std::size_t... I>
    ASHLAR_ALWAYS_INLINE static storage collect(F f, std::index_sequence<I...>) {
        if constexpr (N * sizeof(T) > 32) {
            using half = gnu_vector_t<T, N / 2>;
            const half low = collect_half<0>(f, std::make_index_sequence<N / 2>{});
            const half high = collect_half<N / 2>(f, std::make_index_sequence<N / 2>{});
            return from_raw(__builtin_shufflevector(low, high, static_cast<int>(I)...));
        } else {
            return from_raw(vector{static_cast<element>(f(I))...});
        }
    }
    template <std::size_t First, class F, std::size_t... I>
    ASHLAR_ALWAYS_INLINE static gnu_vector_t<T, N / 2> collect_half(F f, std::index_sequence<I...>) {
        return gnu_vector_t<T, N / 2>{static_cast<element>(f(First + I))...};
    }

    ASHLAR_ALWAYS_INLINE static storage broadcast(T value) { return storage(static_cast<element>(value)); }
    ASHLAR_ALWAYS_INLINE static storage load(const T* source) { return storage::load_unaligned(reinterpret_cast<const element*>(source)); }
    ASHLAR_ALWAYS_INLINE static void store(storage a, T* target) { a.store_unaligned(reinterpret_cast<element*>(target)); }
    ASHLAR_ALWAYS_INLINE static storage load_partial(const T* source, std::size_t count) {
        if constexpr (xsimd::detail::has_mask_load_v<storage>) {
            return storage::load(reinterpret_cast<const element*>(source), mask_first(count), xsimd::unaligned_mode{});
        } else {
            return collect([&](std::size_t i) ASHLAR_LAMBDA_INLINE { return i < count ? source[i] : T(0); }, std::make_index_sequence<N>{});
        }
    }
    ASHLAR_ALWAYS_INLINE static void store_partial(storage a, T* target, std::size_t count) {
        if constexpr (xsimd::detail::has_mask_store_v<storage>) {
            a.store(reinterpret_cast<element*>(target), mask_first(count), xsimd::unaligned_mode{});
        } else {
            const vector values = raw(a);
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < N; ++i)
                if (i < count) target[i] = static_cast<T>(values[i]);
        }
    }
    ASHLAR_ALWAYS_INLINE static storage gather_strided(const T* source, std::ptrdiff_t stride) {
        return collect([&](std::size_t i) ASHLAR_LAMBDA_INLINE { return source[static_cast<std::ptrdiff_t>(i) * stride]; }, std::make_index_sequence<N>{});
    }
    static constexpr lane_array<T, N> counting = counted_lanes<T, N>();
    ASHLAR_ALWAYS_INLINE static storage iota() { return load(counting.values); }
    ASHLAR_ALWAYS_INLINE static T get(storage a, std::size_t i) { return static_cast<T>(raw(a)[i]); }
    ASHLAR_ALWAYS_INLINE static storage insert(storage a, std::size_t i, T value) {
        vector values = raw(a);
        values[i] = static_cast<element>(value);
        return from_raw(values);
    }

    ASHLAR_ALWAYS_INLINE static storage add(storage a, storage b) { return a + b; }
    ASHLAR_ALWAYS_INLINE static storage sub(storage a, storage b) { return a - b; }
    ASHLAR_ALWAYS_INLINE static storage mul(storage a, storage b) { return a * b; }
    ASHLAR_ALWAYS_INLINE static storage div(storage a, storage b) { return a / b; }
    ASHLAR_ALWAYS_INLINE static storage rem(storage a, storage b) { return a % b; }
    // xsimd subtracts from +0 on AVX-512, which loses the sign of -(+0).
    ASHLAR_ALWAYS_INLINE static storage neg(storage a) { return from_raw(-raw(a)); }
    ASHLAR_ALWAYS_INLINE static storage bit_and(storage a, storage b) { return a & b; }
    ASHLAR_ALWAYS_INLINE static storage bit_or(storage a, storage b) { return a | b; }
    ASHLAR_ALWAYS_INLINE static storage bit_xor(storage a, storage b) { return a ^ b; }
    ASHLAR_ALWAYS_INLINE static storage bit_not(storage a) { return ~a; }
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, int count) { return a << count; }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, int count) { return a >> count; }
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, storage counts) { return a << counts; }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, storage counts) { return a >> counts; }
    ASHLAR_ALWAYS_INLINE static storage fma(storage a, storage b, storage c) {
#if defined(__FMA__)
        // xsimd's 128-bit architectures of AVX2 do not know the instruction.
        if constexpr (std::is_same_v<T, float> && N == 4) return _mm_fmadd_ps(a, b, c);
        else if constexpr (std::is_same_v<T, double> && N == 2) return _mm_fmadd_pd(a, b, c);
        else return xsimd::fma(a, b, c);
#else
        return xsimd::fma(a, b, c);
#endif
    }
    // xsimd swaps the operands on x86: min(a, b) there is minps(b, a). Power and RISC-V prefer numbers to NaN.
    ASHLAR_ALWAYS_INLINE static storage min(storage a, storage b) {
#if defined(__VSX__) || defined(__riscv)
        return xsimd::select(a < b, a, b);
#else
        return xsimd::min(b, a);
#endif
    }
    ASHLAR_ALWAYS_INLINE static storage max(storage a, storage b) {
#if defined(__VSX__) || defined(__riscv)
        return xsimd::select(a > b, a, b);
#else
        return xsimd::max(b, a);
#endif
    }
    ASHLAR_ALWAYS_INLINE static storage abs(storage a) { return xsimd::abs(a); }
    ASHLAR_ALWAYS_INLINE static storage sqrt(storage a) { return xsimd::sqrt(a); }
    ASHLAR_ALWAYS_INLINE static storage floor(storage a) { return xsimd::floor(a); }
    ASHLAR_ALWAYS_INLINE static storage round(storage a) { return xsimd::nearbyint(a); }

    // a * 2^n for integral n, with gradual underflow and overflow to infinity, in one instruction; 0 where not kept.
#if defined(__AVX512F__)
    static constexpr bool scales = std::is_floating_point_v<T> && (N * sizeof(T) == 64 || has_avx512vl);
    ASHLAR_ALWAYS_INLINE static storage scale(storage a, storage n) {
        if constexpr (std::is_same_v<T, float> && N == 16) return _mm512_scalef_ps(a, n);
        else if constexpr (std::is_same_v<T, double> && N == 8) return _mm512_scalef_pd(a, n);
#if defined(__AVX512VL__)
        else if constexpr (std::is_same_v<T, float> && N == 8) return _mm256_scalef_ps(a, n);
        else if constexpr (std::is_same_v<T, float> && N == 4) return _mm_scalef_ps(a, n);
        else if constexpr (std::is_same_v<T, double> && N == 4) return _mm256_scalef_pd(a, n);
        else if constexpr (std::is_same_v<T, double> && N == 2) return _mm_scalef_pd(a, n);
#endif
        else return a;
    }
    ASHLAR_ALWAYS_INLINE static storage scale(mask keep, storage a, storage n) {
        if constexpr (std::is_same_v<T, float> && N == 16) return _mm512_maskz_scalef_ps(keep.data, a, n);
        else if constexpr (std::is_same_v<T, double> && N == 8) return _mm512_maskz_scalef_pd(keep.data, a, n);
#if defined(__AVX512VL__)
        else if constexpr (std::is_same_v<T, float> && N == 8) return _mm256_maskz_scalef_ps(keep.data, a, n);
        else if constexpr (std::is_same_v<T, float> && N == 4) return _mm_maskz_scalef_ps(keep.data, a, n);
        else if constexpr (std::is_same_v<T, double> && N == 4) return _mm256_maskz_scalef_pd(keep.data, a, n);
        else if constexpr (std::is_same_v<T, double> && N == 2) return _mm_maskz_scalef_pd(keep.data, a, n);
#endif
        else return select(keep, a, broadcast(0));
    }
#else
    static constexpr bool scales = false;
#endif

    ASHLAR_ALWAYS_INLINE static mask eq(storage a, storage b) { return a == b; }
    ASHLAR_ALWAYS_INLINE static mask ne(storage a, storage b) { return a != b; }
    ASHLAR_ALWAYS_INLINE static mask lt(storage a, storage b) { return a < b; }
    ASHLAR_ALWAYS_INLINE static mask le(storage a, storage b) { return a <= b; }
    ASHLAR_ALWAYS_INLINE static storage select(mask m, storage a, storage b) { return xsimd::select(m, a, b); }

    /// A range of lanes as a vector of its own, and every lane moved down by `Step`.
    template <std::size_t First, std::size_t... I>
    ASHLAR_ALWAYS_INLINE static auto part(vector a, std::index_sequence<I...>) { return __builtin_shufflevector(a, a, static_cast<int>(First + I)...); }
    template <std::size_t Step, std::size_t... I>
    ASHLAR_ALWAYS_INLINE static vector down(vector a, std::index_sequence<I...>) { return __builtin_shufflevector(a, a, static_cast<int>((I + Step) % N)...); }

    /// Combines halves until one lane is left.
    template <class F, std::size_t Step = N / 2>
    ASHLAR_ALWAYS_INLINE static T fold(storage a, F f) {
        if constexpr (Step == 0) {
            return static_cast<T>(raw(a)[0]);
        } else if constexpr (Step == N / 2 && in_register<T, N / 2, Config>()) {
            using half = lane_ops<T, N / 2, Config>;
            using indices = std::make_index_sequence<N / 2>;
            return half::fold(f.template operator()<half>(half::from_raw(part<0>(raw(a), indices{})), half::from_raw(part<N / 2>(raw(a), indices{}))), f);
        } else {
            return fold<F, Step / 2>(f.template operator()<lane_ops>(a, from_raw(down<Step>(raw(a), std::make_index_sequence<N>{}))), f);
        }
    }
    struct added {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const { return Ops::add(a, b); }
    };
    struct larger {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const { return Ops::max(a, b); }
    };
    struct smaller {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const { return Ops::min(a, b); }
    };
    ASHLAR_ALWAYS_INLINE static T reduce_add(storage a) { return fold(a, added{}); }
    ASHLAR_ALWAYS_INLINE static T reduce_max(storage a) { return fold(a, larger{}); }
    ASHLAR_ALWAYS_INLINE static T reduce_min(storage a) { return fold(a, smaller{}); }

    ASHLAR_ALWAYS_INLINE static mask mask_broadcast(bool value) { return mask(value); }
    ASHLAR_ALWAYS_INLINE static mask mask_first(std::size_t count) {
        if (count > N) count = N;
        if constexpr (bit_masks) {
            std::uint64_t bits = N == 64 && count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
            return mask(static_cast<typename mask::register_type>(bits));
        } else {
            using counters = lane_ops<counter, N, Config>;
            return counters::template convert_mask<T>(counters::lt(counters::iota(), counters::broadcast(static_cast<counter>(count))));
        }
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load(const bool* source) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        using bits = typename mask::register_type;
        if constexpr (N == 64) {
            const __m512i values = _mm512_loadu_si512(source);
            return mask(static_cast<bits>(_mm512_test_epi8_mask(values, values)));
        } else if constexpr (N == 32) {
            const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
            return mask(static_cast<bits>(_mm256_test_epi8_mask(values, values)));
        } else if constexpr (N == 16) {
            const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
            return mask(static_cast<bits>(_mm_test_epi8_mask(values, values)));
        } else {
            signed_of_size<N> values;
            __builtin_memcpy(&values, source, N);
            const __m128i low = __builtin_bit_cast(__m128i, gnu_vector_t<signed_of_size<N>, 16 / N>{values});
            return mask(static_cast<bits>(_mm_test_epi8_mask(low, low)));
        }
#elif defined(__SSE2__) && !defined(__SSE4_1__)
        using counters = lane_ops<counter, N, Config>;
        return counters::template convert_mask<T>(counters::ne(counters::collect([&](std::size_t i) ASHLAR_LAMBDA_INLINE { return static_cast<counter>(source[i]); }, std::make_index_sequence<N>{}), counters::broadcast(0)));
#else
        return mask::load_unaligned(source);
#endif
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load_partial(const bool* source, std::size_t count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        if constexpr (N == 16) {
            const __m128i values = _mm_maskz_loadu_epi8(lane_ops<float, 16, Config>::mask_first(count).data, source);
            return mask(static_cast<typename mask::register_type>(_mm_test_epi8_mask(values, values)));
        }
#endif
        bool values[N] = {};
        for (std::size_t i = 0; i < count; ++i) values[i] = source[i];
        return mask_load(values);
    }
    ASHLAR_ALWAYS_INLINE static void mask_store(mask m, bool* target) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        if constexpr (N == 16) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(target), _mm_maskz_set1_epi8(static_cast<__mmask16>(m.data), 1));
            return;
        }
#endif
        m.store_unaligned(target);
    }
    ASHLAR_ALWAYS_INLINE static bool mask_get(mask m, std::size_t i) { return m.get(i); }
    ASHLAR_ALWAYS_INLINE static mask mask_and(mask a, mask b) { return a & b; }
    ASHLAR_ALWAYS_INLINE static mask mask_or(mask a, mask b) { return a | b; }
    ASHLAR_ALWAYS_INLINE static mask mask_xor(mask a, mask b) { return a ^ b; }
    ASHLAR_ALWAYS_INLINE static mask mask_not(mask a) { return ~a; }
    ASHLAR_ALWAYS_INLINE static bool mask_all(mask m) { return xsimd::all(m); }
    ASHLAR_ALWAYS_INLINE static bool mask_any(mask m) { return xsimd::any(m); }

    /// For any U whose N lanes fill a register too.
    template <class U>
    ASHLAR_ALWAYS_INLINE static auto convert(storage a) -> typename lane_ops<U, N, Config>::storage {
#if defined(__AVX512F__)
        if constexpr (std::is_same_v<T, float> && std::is_same_v<U, double> && N == 8) return _mm512_cvtps_pd(a);
        else
#endif
#if defined(__AVX__)
        if constexpr (std::is_same_v<T, float> && std::is_same_v<U, double> && N == 4) return _mm256_cvtps_pd(a);
        else
#endif
        return lane_ops<U, N, Config>::from_raw(__builtin_convertvector(raw(a), gnu_vector_t<U, N>));
    }
    template <class U>
    ASHLAR_ALWAYS_INLINE static auto bit_cast(storage a) -> typename lane_ops<U, N, Config>::storage {
        return xsimd::bitwise_cast<lane_element<U>>(a);
    }
    template <class U>
    ASHLAR_ALWAYS_INLINE static auto convert_mask(mask m) -> typename lane_ops<U, N, Config>::mask {
        using target = lane_ops<U, N, Config>;
        if constexpr (bit_masks && target::bit_masks) {
            return typename target::mask(static_cast<typename target::mask::register_type>(m.data));
        } else if constexpr (sizeof(U) == sizeof(T)) {
            return xsimd::batch_bool_cast<lane_element<U>>(m);
        } else {
            bool values[N];
            mask_store(m, values);
            return target::mask_load(values);
        }
    }

    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) {
#if defined(__AVX512F__)
        auto value = a.data;
        __asm__("" : "+v"(value));
        return storage(value);
#elif defined(__SSE2__)
        auto value = a.data;
        __asm__("" : "+x"(value));
        return storage(value);
#elif defined(__ARM_NEON)
        auto value = a.data;
        __asm__("" : "+w"(value));
        return storage(value);
#else
        __asm__("" : "+m"(a));
        return a;
#endif
    }
};

}  // namespace ashlar::detail

#endif
