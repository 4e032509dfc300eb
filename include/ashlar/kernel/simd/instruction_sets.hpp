// SPDX-License-Identifier: BSL-1.0
// Which widths are registers: a function of the build's configuration alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// The bits of `config::instruction_sets` that lanes depend on.
enum class isa : std::uint8_t {
    sse2 = 0,
    ssse3 = 2,
    sse4_1 = 3,
    avx = 5,
    fma = 6,
    avx2 = 7,
    avxvnni = 8,
    avx512f = 9,
    avx512bw = 10,
    avx512vl = 12,
    avx512vnni = 13,
    avx512vbmi = 14,
    neon = 17,
    aarch64 = 18,
    wasm = 19,
    vsx = 20,
    avx512bf16 = 22,
    m_profile = 25,
    vfp_float = 26,
    vfp_double = 27,
    mve = 28,
    dotprod = 30,
    aarch64bf16 = 31,
    simd32 = 32,
    i8mm = 33
};

template <class Config, isa Set>
inline constexpr bool has = ((Config::instruction_sets >> static_cast<unsigned>(Set)) & 1) != 0;

/// Bits of a scalable register of fixed size (SVE, RISC-V), or 0, and bits of an emulated one. Sizes are multiples of
/// 64: the six bits below are instruction sets.
template <class Config>
inline constexpr std::uint64_t scalable_bits = (Config::instruction_sets >> 32) & 0xffc0;
template <class Config>
inline constexpr std::uint64_t emulated_bits = Config::instruction_sets >> 48;

/// True if `Width` values of type `Element` fill one vector register under `Config`. It depends only on types, so that
/// all translation units agree on what a `lanes` type is.
template <class Element, std::size_t Width, class Config>
consteval bool in_register() {
    constexpr std::size_t bits = Width * sizeof(Element) * 8;
    constexpr bool is_double = std::is_floating_point_v<Element> && sizeof(Element) == 8;
    constexpr bool ieee = sizeof(Element) == 4 || (sizeof(Element) == 8 && std::numeric_limits<Element>::digits == 53);
    if (Width == 1 || !std::is_arithmetic_v<Element> || sizeof(Element) > 8 || emulated_bits<Config> != 0) return false;
    if (std::is_floating_point_v<Element> && !ieee) return false;
    if (bits == 128 && (has<Config, isa::sse2> || has<Config, isa::wasm> || has<Config, isa::vsx>)) return true;
    if (bits == 128 && has<Config, isa::neon>) return has<Config, isa::aarch64> || !is_double;
    if (bits == 128 && has<Config, isa::mve>) return sizeof(Element) == 4;
    if (bits == 256 && has<Config, isa::avx>) return true;
    if (bits == 512 && has<Config, isa::avx512f>) return sizeof(Element) >= 4 || has<Config, isa::avx512bw>;
    return (bits == 128 || bits == 256 || bits == 512) && bits == scalable_bits<Config>;
}

/// Whether an instruction multiplies pairs of bf16, in registers of this many floats.
template <std::size_t Width, class Config>
inline constexpr bool multiplies_pairs =
    in_register<float, Width, Config>() && scalable_bits<Config> == 0 &&
    ((Width == 16 && has<Config, isa::avx512bf16> && has<Config, isa::avx512bw> && has<Config, isa::avx512vl>) ||
     (Width == 4 && has<Config, isa::aarch64bf16>));

}  // namespace ashlar::detail
