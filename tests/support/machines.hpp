// SPDX-License-Identifier: BSL-1.0
// Machines that plans are made for in tests, whichever one compiles: each is the configuration of a build for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>

namespace support::machines {

inline constexpr std::uint64_t sse2_set = 1, avx2_sets = 0b1'1111'1111, avx512_sets = avx2_sets | 0b1'1110ull << 9,
                               neon_set = 1u << 17, aarch64_sets = neon_set | 1u << 18;

/// A build without checks for a machine with these caches.
template <std::uint64_t Sets, std::size_t Bits, std::size_t Registers, std::size_t L1Bytes = 32 * 1024,
          std::size_t L2Bytes = 512 * 1024, bool OptimizeSize = false>
using built_for = ashlar::build_config<Sets, Bits, Registers, ASHLAR_STACK_BUDGET, L1Bytes, L2Bytes, false,
                                       ASHLAR_FAST_MATH != 0, OptimizeSize>;

/// -march=x86-64-v4, -v3, and no flag.
using avx512 = built_for<(avx512_sets | 1u << 9), 512, 32>;
/// The same with AVX512_BF16.
using avx512_bf16 = built_for<(avx512_sets | 1u << 9 | 1u << 22), 512, 32>;
using avx2 = built_for<avx2_sets, 256, 16>;
using sse2 = built_for<sse2_set, 128, 16>;
/// -m32 -msse2.
using i386 = built_for<sse2_set, 128, 8>;
/// AVX-512 without what came after its first version: registers of small integers.
using avx512f = built_for<(avx2_sets | 1u << 9), 512, 32>;
/// Arm with 64 and with 32 bits.
using aarch64 = built_for<aarch64_sets, 128, 32>;
using armv7 = built_for<neon_set, 128, 16>;
/// -march=armv8.6-a.
using aarch64_bf16 = built_for<(aarch64_sets | 1u << 30 | 1u << 31), 128, 32>;
/// The same with I8MM, which is part of it.
using aarch64_i8mm = built_for<(aarch64_sets | 1u << 30 | 1u << 31 | std::uint64_t{1} << 33), 128, 32>;
/// Scalable vectors of 256 bits by -msve-vector-bits=256.
using sve256 = built_for<(aarch64_sets | std::uint64_t{256} << 32), 256, 32>;
/// -DASHLAR_EMULATED_WIDTH=256.
using emulated256 = built_for<(sse2_set | std::uint64_t{256} << 48), 256, 16>;
/// WebAssembly's vectors of 128 bits by a compiler for which xsimd has none: lanes are arrays.
using wasm_arrays = built_for<0, 128, 16>;
/// No vector registers, several instructions at a time, small caches.
using scalar = built_for<0, 0, 16, 16 * 1024, 64 * 1024>;
/// Microcontrollers: registers of single floats (a double takes two), one instruction at a time; the first one also
/// with -Os.
inline constexpr std::uint64_t m_profile_set = 1u << 25 | 1u << 26;
using cortex_m4f = built_for<m_profile_set, 0, 32>;
using cortex_m4f_small = built_for<m_profile_set, 0, 32, 32 * 1024, 512 * 1024, true>;
using cortex_m7 = built_for<(m_profile_set | 1u << 27), 0, 32>;
/// Eight registers of four floats, whose lanes no instruction shuffles.
using cortex_m55 = built_for<(m_profile_set | 0b11u << 27), 128, 8>;

}  // namespace support::machines
