// SPDX-License-Identifier: BSL-1.0
// Masks of registers: bits in a mask register (AVX-512), or vectors of zeros and ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/lanes.hpp>
#include <ashlar/kernel/simd/opaque_register.hpp>
#include <ashlar/kernel/simd/x86_registers.hpp>
#include <ashlar/kernel/simd/xsimd_functions.hpp>

#if defined(ASHLAR_HAS_REGISTERS)

namespace ashlar::inline v0_1::detail {

/// The mask half of `lane_ops`.
template <class Element, std::size_t Width, class Config>
struct register_masks {
    using batch = register_batch<Element, Width>;
    static_assert(!std::is_void_v<batch>, "ashlar: lanes: xsimd has no batch of this size; use ASHLAR_EMULATED_WIDTH");
    using batch_mask = typename batch::batch_bool_type;
    using native = typename batch::register_type;
    using native_mask = typename batch_mask::register_type;
    // Only the register. A batch has constructors that g++ does not inline at -O0: objects with different flags would
    // share them.
    struct storage {
        native data;
    };
    struct mask {
        native_mask data;
    };
    using counter = signed_of_size<sizeof(Element)>;
    using choices = gnu_vector_t<counter, Width>;
    using indices = std::make_index_sequence<Width>;
    using instructions = x86_instructions<Config>;
    using functions = xsimd_functions<Config>;
    static constexpr bool x86 = has<Config, isa::sse2>;
    /// One bit per lane in a mask register of AVX-512. Those of SVE have one per byte, and xsimd handles them.
    static constexpr bool bit_masks = x86 && sizeof(native_mask) != sizeof(native);
    /// Masks as vectors, for the compiler's own notation.
    static constexpr bool vector_masks = registers_are_vectors && !bit_masks;
    static constexpr std::uint64_t all_bits = ~std::uint64_t{0} >> (64 - Width);

    ASHLAR_ALWAYS_INLINE static batch wrap(storage a) { return batch(a.data); }
    ASHLAR_ALWAYS_INLINE static batch_mask wrap(mask m) { return batch_mask(m.data); }
    ASHLAR_ALWAYS_INLINE static storage unwrap(batch a) { return {a.data}; }
    ASHLAR_ALWAYS_INLINE static mask unwrap(batch_mask m) { return {m.data}; }
    ASHLAR_ALWAYS_INLINE static choices raw_mask(mask m) { return __builtin_bit_cast(choices, m.data); }
    ASHLAR_ALWAYS_INLINE static mask from_raw_mask(choices m) { return {__builtin_bit_cast(native_mask, m)}; }
    ASHLAR_ALWAYS_INLINE static mask from_bits(std::uint64_t bits) { return {static_cast<native_mask>(bits)}; }

    ASHLAR_ALWAYS_INLINE static mask mask_broadcast(bool value) {
        if constexpr (bit_masks)
            return from_bits(value ? all_bits : 0);
        else if constexpr (vector_masks)
            return from_raw_mask(choices{} - static_cast<counter>(value));
        else
            return unwrap(batch_mask(value));
    }
    ASHLAR_ALWAYS_INLINE static mask mask_first(std::size_t count) {
        if (count > Width) count = Width;
        if constexpr (bit_masks) {
            return from_bits(Width == 64 && count == 64 ? all_bits : (std::uint64_t{1} << count) - 1);
        } else {
            using counters = lane_ops<counter, Width, Config>;
            const auto counts = counters::broadcast(static_cast<counter>(count));
            return counters::template convert_mask<Element>(counters::lt(counters::iota(), counts));
        }
    }
    ASHLAR_ALWAYS_INLINE static mask mask_and(mask a, mask b) {
        if constexpr (bit_masks)
            return {static_cast<native_mask>(a.data & b.data)};
        else if constexpr (vector_masks)
            return from_raw_mask(raw_mask(a) & raw_mask(b));
        else
            return unwrap(wrap(a) & wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask mask_or(mask a, mask b) {
        if constexpr (bit_masks)
            return {static_cast<native_mask>(a.data | b.data)};
        else if constexpr (vector_masks)
            return from_raw_mask(raw_mask(a) | raw_mask(b));
        else
            return unwrap(wrap(a) | wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask mask_xor(mask a, mask b) {
        if constexpr (bit_masks)
            return {static_cast<native_mask>(a.data ^ b.data)};
        else if constexpr (vector_masks)
            return from_raw_mask(raw_mask(a) ^ raw_mask(b));
        else
            return unwrap(wrap(a) ^ wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask mask_not(mask a) {
        if constexpr (bit_masks)
            return {static_cast<native_mask>(~a.data)};
        else if constexpr (vector_masks)
            return from_raw_mask(~raw_mask(a));
        else
            return unwrap(~wrap(a));
    }

    /// One bit per lane, lowest first.
    ASHLAR_ALWAYS_INLINE static std::uint64_t mask_bits(mask m) {
        if constexpr (bit_masks)
            return m.data;
        else if constexpr (x86)
            return instructions::template signs<sizeof(Element)>(raw_mask(m));
        else
            return wrap(m).mask();
    }
    ASHLAR_ALWAYS_INLINE static bool mask_all(mask m) {
        if constexpr (x86)
            return mask_bits(m) == all_bits;
        else
            return functions::all(wrap(m));
    }
    ASHLAR_ALWAYS_INLINE static bool mask_any(mask m) {
        if constexpr (x86)
            return mask_bits(m) != 0;
        else
            return functions::any(wrap(m));
    }
    ASHLAR_ALWAYS_INLINE static bool mask_get(mask m, std::size_t i) {
        if constexpr (x86)
            return ((mask_bits(m) >> i) & 1) != 0;
        else
            return wrap(m).get(i);
    }

    /// The same truth values for lanes of another type.
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto convert_mask(mask m) -> typename register_masks<Target, Width, Config>::mask {
        using target = register_masks<Target, Width, Config>;
        if constexpr (target::bit_masks) {
            return target::from_bits(mask_bits(m));
        } else if constexpr (target::vector_masks && vector_masks) {
            return target::from_raw_mask(__builtin_convertvector(raw_mask(m), typename target::choices));
        } else if constexpr (target::vector_masks && Width <= 8 * sizeof(Target)) {
            using wanted = typename target::counter;
            const auto powers = (typename target::choices{} + 1)
                                << __builtin_bit_cast(typename target::choices, counted_lanes<wanted, Width>());
            const auto bits = typename target::choices{} + static_cast<wanted>(mask_bits(m));
            return target::from_raw_mask((bits & powers) != 0);
        } else if constexpr (sizeof(Target) == sizeof(Element)) {
            return target::unwrap(functions::template mask_cast<lane_element<Target>>(wrap(m)));
        } else {
            bool values[Width];
            mask_store(m, values);
            return target::mask_load(values);
        }
    }

    template <std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static mask mask_collect(const bool* source, std::index_sequence<Index...>) {
        return from_raw_mask(choices{static_cast<counter>(-static_cast<counter>(source[Index]))...});
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load(const bool* source) {
        finish_stores();
        if constexpr (bit_masks)
            return from_bits(instructions::template truths<Width>(source));
        else if constexpr (has<Config, isa::avx2>)
            return from_raw_mask(-instructions::template widen<choices, sizeof(Element)>(source));
        else if constexpr (vector_masks)
            return mask_collect(source, indices{});
        else
            return unwrap(batch_mask::load_unaligned(source));
    }
    ASHLAR_ALWAYS_INLINE static mask mask_load_partial(const bool* source, std::size_t count) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        if constexpr (bit_masks && Width == 16) {
            const __m128i values = _mm_maskz_loadu_epi8(mask_first(count).data, source);
            return from_bits(_mm_test_epi8_mask(values, values));
        }
#endif
        bool values[Width] = {};
        for (std::size_t i = 0; i < Width && i < count; ++i) values[i] = source[i];
        return mask_load(values);
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static mask mask_repeat_first(mask m) {
        if constexpr (bit_masks) {
            constexpr std::uint64_t wanted = (std::uint64_t{1} << Count) - 1;
            return from_bits((mask_bits(m) & wanted) | (all_bits & ~wanted & (std::uint64_t{0} - (mask_bits(m) & 1))));
        } else if constexpr (vector_masks) {
            return mask_repeat_first_of<Count>(m, indices{});
        } else {
            bool values[Width];
            mask_store(m, values);
            for (std::size_t i = Count; i < Width; ++i) values[i] = values[0];
            return mask_load(values);
        }
    }
    template <std::size_t Count, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static mask mask_repeat_first_of(mask m, std::index_sequence<Index...>) {
        const choices values = raw_mask(m);
        return from_raw_mask(__builtin_shufflevector(values, values, (Index < Count ? static_cast<int>(Index) : 0)...));
    }
    ASHLAR_ALWAYS_INLINE static void mask_store(mask m, bool* target) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        if constexpr (bit_masks && Width == 16) {
            _mm_storeu_si128(reinterpret_cast<__m128i*>(target), _mm_maskz_set1_epi8(m.data, 1));
            return;
        }
#endif
        if constexpr (x86) {
            // Eight lanes at a time: bit i of the factor's multiple i, moved to the bottom of byte i.
            const std::uint64_t bits = mask_bits(m);
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < Width; i += 8) {
                const std::uint64_t spread = (((bits >> i) & 0xff) * 0x0101010101010101u) & 0x8040201008040201u;
                const std::uint64_t bytes = ((spread + 0x7f7f7f7f7f7f7f7fu) >> 7) & 0x0101010101010101u;
                __builtin_memcpy(target + i, &bytes, Width < 8 ? Width : 8);
            }
        } else {
            wrap(m).store_unaligned(target);
        }
    }
};

}  // namespace ashlar::detail

#endif
