// SPDX-License-Identifier: BSL-1.0
// The operations of `lanes` in registers of this build. Included by kernel/simd.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/lanes.hpp>
#include <ashlar/kernel/simd/opaque_register.hpp>
#include <ashlar/kernel/simd/register_masks.hpp>
#include <ashlar/kernel/simd/register_parts.hpp>
#include <ashlar/kernel/simd/x86_registers.hpp>
#include <ashlar/kernel/simd/xsimd_functions.hpp>

#if defined(ASHLAR_HAS_REGISTERS)

namespace ashlar::inline v0_1::detail {

template <class Element, std::size_t Width, class Config>
    requires(in_register<Element, Width, Config>())
struct lane_ops<Element, Width, Config> : register_masks<Element, Width, Config> {
    static_assert(Config::instruction_sets == detail::instruction_sets(),
                  "ashlar: lanes: Config names instruction sets this file is not compiled for");
    static_assert(!std::is_same_v<Element, bool>, "ashlar: lanes: there are no lanes of bool; use lane_mask");
    using masks = register_masks<Element, Width, Config>;
    using masks::bit_masks;
    using masks::from_bits;
    using masks::from_raw_mask;
    using masks::mask_first;
    using masks::raw_mask;
    using masks::unwrap;
    using masks::vector_masks;
    using masks::wrap;
    using masks::x86;
    using typename masks::batch;
    using typename masks::choices;
    using typename masks::counter;
    using typename masks::functions;
    using typename masks::indices;
    using typename masks::instructions;
    using typename masks::mask;
    using typename masks::native;
    using typename masks::storage;
    using element = lane_element<Element>;
    using vector = gnu_vector_t<Element, Width>;
    static constexpr bool floating = std::is_floating_point_v<Element>;
    /// A register of NEON in builds with scalable registers.
    static constexpr bool neon_with_sve = !registers_are_vectors && has<Config, isa::aarch64> &&
                                          Width * sizeof(Element) == 16 && scalable_bits<Config> != 128;

    ASHLAR_ALWAYS_INLINE static vector raw(storage a) {
        if constexpr (registers_are_vectors) {
            return __builtin_bit_cast(vector, a.data);
        } else {
            vector result;
            wrap(a).store_unaligned(reinterpret_cast<element*>(&result));
            return result;
        }
    }
    ASHLAR_ALWAYS_INLINE static storage from_raw(vector a) {
        if constexpr (registers_are_vectors)
            return {__builtin_bit_cast(native, a)};
        else
            return unwrap(batch::load_unaligned(reinterpret_cast<const element*>(&a)));
    }
    /// The same for arithmetic: integers as unsigned ones, whose overflow wraps.
    using modular = std::conditional_t<floating, vector, gnu_vector_t<unsigned_of_size<sizeof(Element)>, Width>>;
    ASHLAR_ALWAYS_INLINE static modular wrapping(storage a) { return __builtin_bit_cast(modular, raw(a)); }
    ASHLAR_ALWAYS_INLINE static storage from_wrapping(modular a) { return from_raw(__builtin_bit_cast(vector, a)); }

    /// f(0), f(1), ... assembled in registers: through memory the load would wait for the stores.
    template <class Function, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static storage collect(Function f, std::index_sequence<Index...>) {
        if constexpr (Width * sizeof(Element) > 32) {
            const auto low = collect_half<0>(f, std::make_index_sequence<Width / 2>{});
            const auto high = collect_half<Width / 2>(f, std::make_index_sequence<Width / 2>{});
            return from_raw(__builtin_shufflevector(low, high, static_cast<int>(Index)...));
        } else {
            return from_raw(vector{static_cast<element>(f(Index))...});
        }
    }
    template <std::size_t First, class Function, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static gnu_vector_t<Element, Width / 2> collect_half(Function f,
                                                                              std::index_sequence<Index...>) {
        return gnu_vector_t<Element, Width / 2>{static_cast<element>(f(First + Index))...};
    }

    ASHLAR_ALWAYS_INLINE static storage broadcast(Element value) {
        if constexpr (registers_are_vectors)
            return from_raw(repeated(static_cast<element>(value), indices{}));
        else
            return unwrap(batch(static_cast<element>(value)));
    }
    template <std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static vector repeated(element value, std::index_sequence<Index...>) {
        return vector{(static_cast<void>(Index), value)...};
    }
    ASHLAR_ALWAYS_INLINE static storage load(const Element* source) {
        if constexpr (!registers_are_vectors)
            return unwrap(batch::load_unaligned(reinterpret_cast<const element*>(source)));
        vector values;
        __builtin_memcpy(&values, source, sizeof values);
        return from_raw(values);
    }
    ASHLAR_ALWAYS_INLINE static void store(storage a, Element* target) {
        if constexpr (!registers_are_vectors) return wrap(a).store_unaligned(reinterpret_cast<element*>(target));
        const vector values = raw(a);
        __builtin_memcpy(target, &values, sizeof values);
    }
    ASHLAR_ALWAYS_INLINE static storage load_partial(const Element* source, std::size_t count) {
        if constexpr (bit_masks) {
            return {instructions::load_masked(source, mask_first(count).data)};
        } else if constexpr (has<Config, isa::avx> && sizeof(Element) >= 4) {
            const auto* from = reinterpret_cast<const counter*>(source);
            return from_raw(__builtin_bit_cast(vector, instructions::load_chosen(from, raw_mask(mask_first(count)))));
        } else {
            return collect([&](std::size_t i) ASHLAR_LAMBDA_INLINE { return i < count ? source[i] : Element(0); },
                           indices{});
        }
    }
    ASHLAR_ALWAYS_INLINE static void store_partial(storage a, Element* target, std::size_t count) {
        if constexpr (bit_masks) {
            instructions::store_masked(target, mask_first(count).data, a.data);
        } else if constexpr (has<Config, isa::avx> && sizeof(Element) >= 4) {
            auto* to = reinterpret_cast<counter*>(target);
            instructions::store_chosen(to, raw_mask(mask_first(count)), __builtin_bit_cast(choices, a.data));
        } else {
            const vector values = raw(a);
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < Width; ++i)
                if (i < count) target[i] = static_cast<Element>(values[i]);
        }
    }
    /// The first lanes, if they are a narrower register or a scalar: without a mask or a crossed cache line.
    using parts = register_parts<Element, Width, Config>;
    template <std::size_t Count>
        requires(parts::template has<Count> || parts::template is_scalar<Count>)
    ASHLAR_ALWAYS_INLINE static storage load_low(const Element* source) {
        return from_raw(parts::template load_low<Count>(source));
    }
    template <std::size_t Count>
        requires(parts::template has<Count> || parts::template is_scalar<Count>)
    ASHLAR_ALWAYS_INLINE static void store_low(storage a, Element* target) {
        parts::template store_low<Count>(raw(a), target);
    }
    /// Groups of `Count` lanes, `distance` apart in memory.
    template <std::size_t Count>
        requires(parts::template has<Count>)
    ASHLAR_ALWAYS_INLINE static storage load_groups(const Element* source, std::ptrdiff_t distance) {
        return from_raw(parts::template load_groups<Count, Width>(source, distance));
    }
    template <std::size_t Count>
        requires(parts::template has<Count>)
    ASHLAR_ALWAYS_INLINE static void store_groups(storage a, Element* target, std::ptrdiff_t distance) {
        parts::template store_groups<Count>(raw(a), target, distance);
    }
    /// As many as `Size` lanes hold; the last lanes are unspecified.
    template <std::size_t Count, std::size_t Size>
        requires requires(const Element* p) { parts::template gather_groups<Count, Size>(p, 1); }
    ASHLAR_ALWAYS_INLINE static storage gather_groups(const Element* source, std::ptrdiff_t distance) {
        return from_raw(parts::template gather_groups<Count, Size>(source, distance));
    }
    ASHLAR_ALWAYS_INLINE static storage gather_strided(const Element* source, std::ptrdiff_t stride) {
        const auto at = [&](std::size_t i)
                            ASHLAR_LAMBDA_INLINE { return source[static_cast<std::ptrdiff_t>(i) * stride]; };
        return collect(at, indices{});
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static storage repeat_first(storage a) {
        return repeat_first_of<Count>(a, indices{});
    }
    template <std::size_t Count, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static storage repeat_first_of(storage a, std::index_sequence<Index...>) {
        const vector values = raw(a);
        return from_raw(__builtin_shufflevector(values, values, (Index < Count ? static_cast<int>(Index) : 0)...));
    }
    static constexpr lane_array<Element, Width> counting = counted_lanes<Element, Width>();
    ASHLAR_ALWAYS_INLINE static storage iota() { return load(counting.values); }
    ASHLAR_ALWAYS_INLINE static Element get(storage a, std::size_t i) { return static_cast<Element>(raw(a)[i]); }
    ASHLAR_ALWAYS_INLINE static storage insert(storage a, std::size_t i, Element value) {
        vector values = raw(a);
        values[i] = static_cast<element>(value);
        return from_raw(values);
    }

    // In the compiler's notation if it has one, for the reason above, and because xsimd's floating-point division on
    // 32-bit NEON is an approximation and its negation on AVX-512 loses the sign of 0.
    ASHLAR_ALWAYS_INLINE static storage add(storage a, storage b) {
        if constexpr (registers_are_vectors)
            return from_wrapping(wrapping(a) + wrapping(b));
        else
            return unwrap(wrap(a) + wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static storage sub(storage a, storage b) {
        if constexpr (registers_are_vectors)
            return from_wrapping(wrapping(a) - wrapping(b));
        else
            return unwrap(wrap(a) - wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static storage mul(storage a, storage b) {
        if constexpr (registers_are_vectors)
            return from_wrapping(wrapping(a) * wrapping(b));
        else
            return unwrap(wrap(a) * wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static storage div(storage a, storage b) {
        // xsimd 14.3 approximates it for float on NEON.
        if constexpr (registers_are_vectors)
            return from_raw(raw(a) / raw(b));
        else if constexpr (neon_with_sve && floating && sizeof(Element) == 4)
            return {vdivq_f32(a.data, b.data)};
        else
            return unwrap(wrap(a) / wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static storage rem(storage a, storage b) { return from_raw(raw(a) % raw(b)); }
    ASHLAR_ALWAYS_INLINE static storage neg(storage a) { return from_wrapping(-wrapping(a)); }
    ASHLAR_ALWAYS_INLINE static storage bit_and(storage a, storage b) { return from_raw(raw(a) & raw(b)); }
    ASHLAR_ALWAYS_INLINE static storage bit_or(storage a, storage b) { return from_raw(raw(a) | raw(b)); }
    ASHLAR_ALWAYS_INLINE static storage bit_xor(storage a, storage b) { return from_raw(raw(a) ^ raw(b)); }
    ASHLAR_ALWAYS_INLINE static storage bit_not(storage a) { return from_raw(~raw(a)); }
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, int count) {
        return from_wrapping(wrapping(a) << static_cast<unsigned_of_size<sizeof(Element)>>(count));
    }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, int count) {
        return from_raw(raw(a) >> static_cast<counter>(count));
    }
    ASHLAR_ALWAYS_INLINE static storage shl(storage a, storage counts) {
        return from_wrapping(wrapping(a) << wrapping(counts));
    }
    ASHLAR_ALWAYS_INLINE static storage shr(storage a, storage counts) { return from_raw(raw(a) >> raw(counts)); }
    ASHLAR_ALWAYS_INLINE static storage fma(storage a, storage b, storage c) {
        if constexpr (floating && (has<Config, isa::fma> || bit_masks))
            return {instructions::fma(a.data, b.data, c.data)};
        else if constexpr (x86)
            return add(mul(a, b), c);
        else
            return unwrap(functions::fma(wrap(a), wrap(b), wrap(c)));
    }
    template <class Function>
    ASHLAR_ALWAYS_INLINE static storage as_one(Function f, storage a, storage b, storage c) {
        if constexpr (!registers_are_vectors) return unwrap(f(wrap(a), wrap(b), wrap(c)));
        return from_raw(f(raw(a), raw(b), raw(c)));
    }
    // Operands in the order of minps and maxps: xsimd swaps them on x86, and elsewhere may prefer numbers to NaN.
    ASHLAR_ALWAYS_INLINE static storage(min)(storage a, storage b) {
        if constexpr (x86 && floating)
            return {(instructions::min)(a.data, b.data)};
        else if constexpr (vector_masks || x86)
            return from_raw(raw(a) < raw(b) ? raw(a) : raw(b));
        else
            return select(lt(a, b), a, b);
    }
    ASHLAR_ALWAYS_INLINE static storage(max)(storage a, storage b) {
        if constexpr (x86 && floating)
            return {(instructions::max)(a.data, b.data)};
        else if constexpr (vector_masks || x86)
            return from_raw(raw(a) > raw(b) ? raw(a) : raw(b));
        else
            return select(lt(b, a), a, b);
    }
    ASHLAR_ALWAYS_INLINE static storage abs(storage a) {
        constexpr counter all_but_sign = static_cast<counter>(static_cast<unsigned_of_size<sizeof(Element)>>(-1) >> 1);
        if constexpr (!registers_are_vectors)
            return unwrap(functions::abs(wrap(a)));
        else if constexpr (floating)
            return from_raw(__builtin_bit_cast(vector, __builtin_bit_cast(choices, raw(a)) & all_but_sign));
        else if constexpr (std::is_unsigned_v<Element>)
            return a;
        else
            return from_raw(raw(a) < 0 ? raw(neg(a)) : raw(a));
    }
    ASHLAR_ALWAYS_INLINE static storage sqrt(storage a) {
        // The same.
        if constexpr (x86)
            return {instructions::sqrt(a.data)};
        else if constexpr ((registers_are_vectors || neon_with_sve) && has<Config, isa::aarch64> &&
                           sizeof(Element) == 4)
            return {vsqrtq_f32(a.data)};
        else if constexpr (registers_are_vectors && has<Config, isa::neon> && sizeof(Element) == 4)
            return collect([&](std::size_t i) ASHLAR_LAMBDA_INLINE { return scalar_ops<Element>::sqrt(raw(a)[i]); },
                           indices{});
        else
            return unwrap(functions::sqrt(wrap(a)));
    }
    ASHLAR_ALWAYS_INLINE static storage floor(storage a) {
        if constexpr (has<Config, isa::sse4_1>) {
            return {instructions::floor(a.data)};
        } else if constexpr (x86) {
            const vector nearest = raw(round(a));
            return from_raw(nearest > raw(a) ? nearest - Element(1) : nearest);
        } else {
            return unwrap(functions::floor(wrap(a)));
        }
    }
    ASHLAR_ALWAYS_INLINE static storage round(storage a) {
        if constexpr (has<Config, isa::sse4_1>) {
            return {instructions::nearest(a.data)};
        } else if constexpr (x86) {
            // Adding a number without fraction bits rounds; larger numbers are integers, and NaN stays NaN.
            const vector magnitude = raw(abs(a)), whole = vector{} + scalar_ops<Element>::whole;
            const vector rounded = raw(opaque(from_raw(magnitude + whole))) - whole;
            const choices sign = __builtin_bit_cast(choices, raw(a)) ^ __builtin_bit_cast(choices, magnitude);
            const vector signed_again = __builtin_bit_cast(vector, __builtin_bit_cast(choices, rounded) | sign);
            return from_raw(magnitude < whole ? signed_again : raw(a));
        } else {
            return unwrap(functions::nearest(wrap(a)));
        }
    }

    // a * 2^n for integral n, with gradual underflow and overflow to infinity, in one instruction; 0 in masked lanes.
    static constexpr bool scales = floating && bit_masks;
    ASHLAR_ALWAYS_INLINE static storage scale(storage a, storage n) { return {instructions::scale(a.data, n.data)}; }
    ASHLAR_ALWAYS_INLINE static storage scale(mask keep, storage a, storage n) {
        return {instructions::scale(keep.data, a.data, n.data)};
    }

    /// a * b + c; 0 in masked lanes, without a floating-point exception.
    ASHLAR_ALWAYS_INLINE static storage fma(mask keep, storage a, storage b, storage c) {
        return {instructions::fma(keep.data, a.data, b.data, c.data)};
    }

    /// Looks up the lowest five bits of each lane in a table of 32 in memory (AVX2: three bits in 8).
    template <class Numbers>
    ASHLAR_ALWAYS_INLINE static Numbers lookup(const std::uint32_t* table, Numbers numbers) {
        return Numbers(typename Numbers::storage{instructions::lookup(table, numbers.data.data)});
    }
    /// max(a, 0), and NaN for minus infinity.
    ASHLAR_ALWAYS_INLINE static storage positive_part(storage a) { return {instructions::positive_part(a.data)}; }
    template <relation Relation>
    ASHLAR_ALWAYS_INLINE static mask compare(storage a, storage b) {
        return {instructions::template compare<Element, Relation>(a.data, b.data)};
    }
    ASHLAR_ALWAYS_INLINE static mask eq(storage a, storage b) {
        if constexpr (bit_masks)
            return compare<relation::equal>(a, b);
        else if constexpr (vector_masks)
            return from_raw_mask(raw(a) == raw(b));
        else
            return masks::unwrap(wrap(a) == wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask ne(storage a, storage b) {
        if constexpr (bit_masks)
            return compare<relation::unequal>(a, b);
        else if constexpr (vector_masks)
            return from_raw_mask(raw(a) != raw(b));
        else
            return masks::unwrap(wrap(a) != wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask lt(storage a, storage b) {
        if constexpr (bit_masks)
            return compare<relation::less>(a, b);
        else if constexpr (vector_masks)
            return from_raw_mask(raw(a) < raw(b));
        else
            return masks::unwrap(wrap(a) < wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static mask le(storage a, storage b) {
        if constexpr (bit_masks)
            return compare<relation::less_equal>(a, b);
        else if constexpr (vector_masks)
            return from_raw_mask(raw(a) <= raw(b));
        else
            return masks::unwrap(wrap(a) <= wrap(b));
    }
    ASHLAR_ALWAYS_INLINE static storage select(mask m, storage a, storage b) {
        if constexpr (bit_masks)
            return {instructions::template select<Element>(m.data, a.data, b.data)};
        else if constexpr (vector_masks)
            return from_raw(raw_mask(m) ? raw(a) : raw(b));
        else
            return unwrap(functions::select(wrap(m), wrap(a), wrap(b)));
    }

    /// A range of lanes as a vector of its own, and every lane moved down by `Step`.
    template <std::size_t First, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static auto part(vector a, std::index_sequence<Index...>) {
        return __builtin_shufflevector(a, a, static_cast<int>(First + Index)...);
    }
    template <std::size_t Step, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static vector down(vector a, std::index_sequence<Index...>) {
        return __builtin_shufflevector(a, a, static_cast<int>((Index + Step) % Width)...);
    }

    /// Combines halves until one lane is left.
    template <class Function, std::size_t Step = Width / 2>
    ASHLAR_ALWAYS_INLINE static Element fold(storage a, Function f) {
        if constexpr (Step == 0) {
            return static_cast<Element>(raw(a)[0]);
        } else if constexpr (Step == Width / 2 && in_register<Element, Width / 2, Config>()) {
            using half = lane_ops<Element, Width / 2, Config>;
            using half_indices = typename half::indices;
            const auto low = half::from_raw(part<0>(raw(a), half_indices{}));
            const auto high = half::from_raw(part<Width / 2>(raw(a), half_indices{}));
            return half::fold(f.template operator()<half>(low, high), f);
        } else {
            return fold<Function, Step / 2>(f.template operator()<lane_ops>(a, from_raw(down<Step>(raw(a), indices{}))),
                                            f);
        }
    }
    struct added {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const {
            return Ops::add(a, b);
        }
    };
    struct larger {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const {
            return (Ops::max)(a, b);
        }
    };
    struct smaller {
        template <class Ops>
        ASHLAR_ALWAYS_INLINE typename Ops::storage operator()(typename Ops::storage a, typename Ops::storage b) const {
            return (Ops::min)(a, b);
        }
    };
    ASHLAR_ALWAYS_INLINE static Element reduce_add(storage a) { return fold(a, added{}); }
    ASHLAR_ALWAYS_INLINE static Element reduce_max(storage a) { return fold(a, larger{}); }
    ASHLAR_ALWAYS_INLINE static Element reduce_min(storage a) { return fold(a, smaller{}); }

    /// For any Target whose Width lanes fill a register too.
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto convert(storage a) -> typename lane_ops<Target, Width, Config>::storage {
        using target = lane_ops<Target, Width, Config>;
        // g++ 12 does this one in two halves.
        constexpr bool to_double =
            std::is_same_v<Element, float> && std::is_same_v<Target, double> && sizeof(Element) * Width >= 16;
        if constexpr (x86 && to_double)
            return {instructions::to_double(a.data)};
        else
            return target::from_raw(__builtin_convertvector(raw(a), gnu_vector_t<Target, Width>));
    }
    template <class Target>
    ASHLAR_ALWAYS_INLINE static auto bit_cast(storage a) -> typename lane_ops<Target, Width, Config>::storage {
        if constexpr (registers_are_vectors)
            return lane_ops<Target, Width, Config>::from_raw(__builtin_bit_cast(gnu_vector_t<Target, Width>, raw(a)));
        else
            return lane_ops<Target, Width, Config>::unwrap(functions::template bit_cast<lane_element<Target>>(wrap(a)));
    }
    ASHLAR_ALWAYS_INLINE static storage opaque(storage a) { return opaque_register(a); }
};

}  // namespace ashlar::detail

#endif
