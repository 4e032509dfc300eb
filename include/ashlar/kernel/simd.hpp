// SPDX-License-Identifier: BSL-1.0
// Lanes in registers: include this wherever lanes wider than one are used. The only door to xsimd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd/lanes.hpp>

#if defined(ASHLAR_HAS_REGISTERS)

// g++ 12 reports the deliberately undefined operands inside its own AVX-512 intrinsics (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
// In this order: a formatter must not sort them.
// clang-format off
#include <ashlar/kernel/simd/hidden_macros.hpp>
#if defined(__SSE2__)
// Only the registers. On x86 everything else is written in the compiler's vector notation or with intrinsics; the whole
// of xsimd would be half the compile time of a small unit.
#include <xsimd/types/xsimd_all_registers.hpp>
#else
#if defined(__wasm_simd128__) && !defined(__EMSCRIPTEN__)
// xsimd 14.3 expects WebAssembly's registers only with Emscripten. Only its configuration tests that macro.
#define __EMSCRIPTEN__ 1
#include <xsimd/config/xsimd_config.hpp>
#undef __EMSCRIPTEN__
#if !XSIMD_WITH_WASM
#error "ashlar: xsimd: it was included after ashlar's core and left WebAssembly's registers out; include ashlar before it"
#endif
#endif
#include <xsimd/xsimd.hpp>
#endif
#include <ashlar/kernel/simd/restored_macros.hpp>
// clang-format on
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#if XSIMD_VERSION_MAJOR < 14 || (XSIMD_VERSION_MAJOR == 14 && XSIMD_VERSION_MINOR < 3)
#error "ashlar: needs xsimd 14.3 or newer; an older one comes first in the include path"
#endif

namespace ashlar::inline v0_1::detail {

/// The fixed-width type of Element in registers: long, char and similar types have no batches of their own.
template <class Element>
using lane_element = std::conditional_t<
    std::is_floating_point_v<Element>, Element,
    std::conditional_t<std::is_signed_v<Element>, signed_of_size<sizeof(Element)>, unsigned_of_size<sizeof(Element)>>>;

#if defined(__SSE2__)
/// The register of `Bytes` and its masks, named as in a batch. Registers of 16 and 32 bytes use vector masks, as before
/// AVX-512: xsimd 14.3 has architectures with mask registers for them, but these do not compile at -O0.
template <class Stored, std::size_t Bytes>
struct register_types {
    using architecture =
        std::conditional_t<Bytes == 64, xsimd::avx512f, std::conditional_t<Bytes == 32, xsimd::avx, xsimd::sse2>>;
    using register_type = typename xsimd::types::simd_register<Stored, architecture>::register_type;
    using batch_bool_type = xsimd::types::get_bool_simd_register_t<Stored, architecture>;
};
template <class Element, std::size_t Width>
using register_batch = register_types<lane_element<Element>, Width * sizeof(Element)>;
#else
/// The batch of exactly Width lanes, of the widest architecture if it fits, otherwise of a narrower one.
template <class Stored, std::size_t Width>
struct register_batch_of {
    using widest = xsimd::batch<Stored>;
    using type = std::conditional_t<widest::size == Width, widest, xsimd::make_sized_batch_t<Stored, Width>>;
};
template <class Element, std::size_t Width>
using register_batch = typename register_batch_of<lane_element<Element>, Width>::type;
#endif

/// Vectors in the compiler's own notation, where it generates better code than xsimd. Scalable registers only pass
/// through.
template <class Element, std::size_t Width>
struct gnu_vector {
    typedef lane_element<Element> type __attribute__((vector_size(Width * sizeof(Element))));
};
template <class Element, std::size_t Width>
using gnu_vector_t = typename gnu_vector<Element, Width>::type;

#if defined(__ARM_FEATURE_SVE_BITS) || defined(__riscv_v_fixed_vlen)
inline constexpr bool registers_are_vectors = false;
#else
inline constexpr bool registers_are_vectors = true;
#endif

/// Comparisons that registers have; the others swap the operands.
enum class relation : std::uint8_t { equal, unequal, less, less_equal };

// Declared here, because the headers of these five include this one: they may be included in any order.
template <class Config>
struct x86_instructions;
template <class Config>
struct xsimd_functions;
template <class Element, std::size_t Width, class Config>
struct register_masks;
template <class Element, std::size_t Width, class Config>
struct register_parts;

}  // namespace ashlar::detail

#include <ashlar/kernel/simd/register_lanes.hpp>

#endif

#if defined(ASHLAR_HAS_MVE)
#include <arm_mve.h>

#include <ashlar/kernel/simd/mve_lanes.hpp>
#endif

#include <ashlar/kernel/simd/narrow_lanes.hpp>
