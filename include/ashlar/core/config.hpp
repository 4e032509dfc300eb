// SPDX-License-Identifier: BSL-1.0
// The only macros of the library, and the type that carries every build setting into the code it affects.
#pragma once

// One error instead of hundreds: clang stops at a fatal error, g++ at a missing header.
#if defined(__clang__) && (defined(__apple_build_version__) ? __clang_major__ < 16 : __clang_major__ < 17)
#pragma clang diagnostic fatal "-W#warnings"
#warning "ashlar: compiler: needs clang 17, Apple clang 16 or g++ 12, or newer; choose another one (CXX=...)"
#error "ashlar: compiler: needs clang 17, Apple clang 16 or g++ 12, or newer; choose another one (CXX=...)"
#elif defined(__clang__) && __cplusplus < 202002L
#pragma clang diagnostic fatal "-W#warnings"
#warning "ashlar: compiler: needs C++20; add -std=c++20"
#error "ashlar: compiler: needs C++20; add -std=c++20"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "ashlar: compiler: needs clang 17, Apple clang 16 or g++ 12, or newer; choose another one (CXX=...)"
#include <ashlar: stopped, see the error above>
#elif defined(__GNUC__) && __cplusplus < 202002L
#error "ashlar: compiler: needs C++20; add -std=c++20"
#include <ashlar: stopped, see the error above>
#endif

// Defined by the header that tools/amalgamate.py writes, which holds the text of this one.
#if defined(ASHLAR_SINGLE_HEADER)
#if defined(__clang__)
#pragma clang diagnostic fatal "-W#warnings"
#warning "ashlar: headers: this unit includes a single header and other headers of ashlar; include one or the other"
#endif
#error "ashlar: headers: this unit includes a single header and other headers of ashlar; include one or the other"
#include <ashlar: stopped, see the error above>
#endif

#include <cstddef>
#include <cstdint>

#define ASHLAR_VERSION_MAJOR 0
#define ASHLAR_VERSION_MINOR 1
#define ASHLAR_VERSION_PATCH 0

/// Bytes that one evaluation may put on the stack: scratch, the result of `eval`, the copy for an overlap. Larger plans
/// need a `workspace`, larger results a destination (default 256 KiB).
#ifndef ASHLAR_STACK_BUDGET
#define ASHLAR_STACK_BUDGET (256 * 1024)
#endif

/// Bytes of L1 data cache that tile sizes are chosen for.
#ifndef ASHLAR_L1_BYTES
#define ASHLAR_L1_BYTES (32 * 1024)
#endif

/// Bytes of L2 cache that tile sizes are chosen for.
#ifndef ASHLAR_L2_BYTES
#define ASHLAR_L2_BYTES (512 * 1024)
#endif

/// Bytes of the last cache before memory. Results that would not stay in it are stored past all caches if the target
/// has such instructions; 0: never.
#ifndef ASHLAR_L3_BYTES
#define ASHLAR_L3_BYTES (32 * 1024 * 1024)
#endif

/// Vector registers that kernels use; 0: all of the architecture, the default of optimised builds. Other builds, and
/// those with AddressSanitizer, use 8: large register blocks make their code no faster, slower to compile and,
/// unoptimised, twice as large. Set 0 to let a sanitizer see the kernels and plans of optimised builds.
#ifndef ASHLAR_REGISTERS
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
#define ASHLAR_REGISTERS 8
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASHLAR_REGISTERS 8
#endif
#endif
#ifndef ASHLAR_REGISTERS
#define ASHLAR_REGISTERS 0
#endif
#endif

/// Define ASHLAR_UNOPTIMIZED for intended builds without optimisation: it switches their warning off.
#if !defined(__OPTIMIZE__) && !defined(ASHLAR_UNOPTIMIZED) && defined(__GNUC__)
#define ASHLAR_WARNS_UNOPTIMIZED 1
#else
#define ASHLAR_WARNS_UNOPTIMIZED 0
#endif

/// Whether small code matters more than speed (default: 1 if __OPTIMIZE_SIZE__ is defined, as with -Os and -Oz).
#ifndef ASHLAR_OPTIMIZE_SIZE
#ifdef __OPTIMIZE_SIZE__
#define ASHLAR_OPTIMIZE_SIZE 1
#else
#define ASHLAR_OPTIMIZE_SIZE 0
#endif
#endif

/// Whether to use the vector extension of Arm's M profile (MVE) if it has floats (default 1). It flushes subnormal
/// numbers to zero.
#ifndef ASHLAR_MVE
#define ASHLAR_MVE 1
#endif

/// Run-time preconditions: 1 checks them with ASHLAR_ASSERT, 0 leaves them out (default: by NDEBUG).
#ifndef ASHLAR_CHECKS
#ifdef NDEBUG
#define ASHLAR_CHECKS 0
#else
#define ASHLAR_CHECKS 1
#endif
#endif

/// The action for a violated precondition; `condition` is evaluated once. Define it before the first include to replace
/// it.
#ifndef ASHLAR_ASSERT
#if ASHLAR_CHECKS
#include <cassert>
#define ASHLAR_ASSERT(condition, message) assert((condition) && (message))
#else
#define ASHLAR_ASSERT(condition, message) static_cast<void>(0)
#endif
#endif

/// Names the function behind a declaration of core/dispatch.hpp: `ASHLAR_DISPATCH(attend, attend_here);`, at global
/// scope. CMake's ashlar_dispatch compiles the source once for each instruction set and defines macros:
/// ASHLAR_DISPATCH_SET is the unit's set, ASHLAR_DISPATCH_SETS all sets, in the unit of the least one, which defines
/// the object. Without them the source is compiled once.
#if defined(ASHLAR_DISPATCH_SETS)
#define ASHLAR_DISPATCH(Declared, ...)                                                                                 \
    ASHLAR_DISPATCH_VARIANT(Declared, __VA_ARGS__);                                                                    \
    constinit decltype(Declared) Declared {                                                                            \
        ashlar::detail::dispatch_first_call<decltype(Declared)::signature, Declared>::call,                            \
            ashlar::detail::dispatch_rows<Declared>::rows, ashlar::detail::dispatch_rows<Declared>::count              \
    }
#elif defined(ASHLAR_DISPATCH_SET)
#define ASHLAR_DISPATCH(Declared, ...) ASHLAR_DISPATCH_VARIANT(Declared, __VA_ARGS__)
#else
#define ASHLAR_DISPATCH(Declared, ...)                                                                                 \
    constinit decltype(Declared) Declared { ashlar::detail::function_for<decltype(Declared)>(__VA_ARGS__) }
#endif
#define ASHLAR_DISPATCH_VARIANT(Declared, ...)                                                                         \
    template <>                                                                                                        \
    constinit const decltype(Declared)::pointer ashlar::detail::dispatch_variant<                                      \
        ashlar::instruction_set::ASHLAR_DISPATCH_SET, decltype(Declared)::signature, Declared>::function =             \
        ashlar::detail::function_for<decltype(Declared)>(__VA_ARGS__)

#if defined(__GNUC__) || defined(__clang__)
#define ASHLAR_ALWAYS_INLINE [[gnu::always_inline]] inline
#if defined(__clang__)
#define ASHLAR_NOINLINE [[gnu::noinline]]
#else
// Callers assume that such a function may write any memory. g++ 12 assumes that a function stores nothing if it has
// rewritten the addresses of all stores as sums without a pointer, and then drops the calls (docs/compiler_traps.md).
#define ASHLAR_NOINLINE [[gnu::noipa]]
#endif
// The whole call tree of a stage is inlined into the stage's root. g++ inlines always_inline functions level by level
// and optimises everything below again at each level, some fifteen times for a product. `flatten` on the root inlines
// all levels at once. It orders functions by their calls, except calls from an always_inline function to one that is
// not. So ASHLAR_ALWAYS_INLINE functions must not call ASHLAR_STAGE_INLINE functions, which would stay calls; lambdas
// count too. A stage's `run` is a root inside the function around it: the copies for the stage (frame, expression)
// become scalars only in a second pass. clang's `flatten` is one level deep, and its inliner is cheap. Without
// optimisation nothing is flattened, and a function that does not depend on Config would be shared by objects with
// other flags: there, too, everything is always_inline.
#if defined(__clang__) || !defined(__OPTIMIZE__)
#define ASHLAR_STAGE_ROOT
#define ASHLAR_STAGE_INLINE [[gnu::always_inline]] inline
#define ASHLAR_STAGE_LAMBDA __attribute__((always_inline))
#else
#define ASHLAR_STAGE_ROOT [[gnu::flatten]]
// With the same options as its root, otherwise it is not inlined (ASHLAR_NOTHROW).
#define ASHLAR_STAGE_INLINE [[gnu::nothrow, gnu::optimize("no-exceptions")]] inline
#define ASHLAR_STAGE_LAMBDA __attribute__((nothrow, optimize("no-exceptions")))
#endif
// Promises what noexcept promises, without a handler that calls std::terminate.
#if defined(__clang__)
#define ASHLAR_NOTHROW [[gnu::nothrow]]
#else
// g++ 12 assumes that vector instructions may throw. Inside xsimd's noexcept functions they would make every object
// need a C++ personality routine.
#define ASHLAR_NOTHROW [[gnu::nothrow, gnu::optimize("no-exceptions")]]
#endif
#define ASHLAR_LAMBDA_INLINE __attribute__((always_inline))
#define ASHLAR_RESTRICT __restrict__
#else
#define ASHLAR_ALWAYS_INLINE inline
#define ASHLAR_NOINLINE
#define ASHLAR_STAGE_ROOT
#define ASHLAR_STAGE_INLINE inline
#define ASHLAR_STAGE_LAMBDA
#define ASHLAR_NOTHROW
#define ASHLAR_LAMBDA_INLINE
#define ASHLAR_RESTRICT
#endif

// Types that own their elements, and types that point to elements of others. clang warns if one of these outlives a
// temporary of the other, also inside a std::span, whose constructor takes any temporary range if elements are const.
#if defined(__clang__)
#define ASHLAR_OWNER(Element) [[gsl::Owner(Element)]]
#define ASHLAR_POINTER(Element) [[gsl::Pointer(Element)]]
#else
#define ASHLAR_OWNER(Element)
#define ASHLAR_POINTER(Element)
#endif

#if defined(__clang__)
#define ASHLAR_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define ASHLAR_UNROLL _Pragma("GCC unroll 64")
#else
#define ASHLAR_UNROLL
#endif

// If a row has no remainder, g++ 12 takes the loop over it for endless and warns that its offsets would overflow.
#if defined(__GNUC__) && !defined(__clang__)
#define ASHLAR_BEGIN_OFFSETS                                                                                           \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Waggressive-loop-optimizations\"")
#define ASHLAR_END_OFFSETS _Pragma("GCC diagnostic pop")
#else
#define ASHLAR_BEGIN_OFFSETS
#define ASHLAR_END_OFFSETS
#endif

#if defined(__unix__) || defined(__APPLE__)
#define ASHLAR_HAS_POSIX 1
#else
#define ASHLAR_HAS_POSIX 0
#endif

#if defined(__FAST_MATH__)
#define ASHLAR_FAST_MATH 1
#else
#define ASHLAR_FAST_MATH 0
#endif

// Whether this build has vector registers that xsimd supports. If xsimd was included first without Emscripten, it has
// no registers for WebAssembly, and lanes are arrays.
#if defined(ASHLAR_EMULATED_WIDTH)
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__VSX__) || defined(__riscv_v_fixed_vlen)
#define ASHLAR_HAS_REGISTERS
#elif defined(__wasm_simd128__) && (!defined(XSIMD_WITH_WASM) || XSIMD_WITH_WASM)
#define ASHLAR_HAS_REGISTERS
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
#define ASHLAR_HAS_REGISTERS
#endif
// The float registers of Arm's M-profile vector extension, which xsimd does not support.
#if !defined(ASHLAR_EMULATED_WIDTH) && defined(__ARM_FEATURE_MVE)
#if ASHLAR_MVE && (__ARM_FEATURE_MVE & 2)
#define ASHLAR_HAS_MVE
#endif
#endif

namespace ashlar::inline v0_1 {

namespace detail {

/// One bit for every instruction set that changes generated code, so that objects with different flags never share a
/// function by accident.
consteval std::uint64_t instruction_sets() {
    std::uint64_t bits = 0;
#ifdef __SSE2__
    bits |= 1u << 0;
#endif
#ifdef __SSE3__
    bits |= 1u << 1;
#endif
#ifdef __SSSE3__
    bits |= 1u << 2;
#endif
#ifdef __SSE4_1__
    bits |= 1u << 3;
#endif
#ifdef __SSE4_2__
    bits |= 1u << 4;
#endif
#ifdef __AVX__
    bits |= 1u << 5;
#endif
#ifdef __FMA__
    bits |= 1u << 6;
#endif
#ifdef __AVX2__
    bits |= 1u << 7;
#endif
#ifdef __AVXVNNI__
    bits |= 1u << 8;
#endif
#ifdef __AVX512F__
    bits |= 1u << 9;
#endif
#ifdef __AVX512BW__
    bits |= 1u << 10;
#endif
#ifdef __AVX512DQ__
    bits |= 1u << 11;
#endif
#ifdef __AVX512VL__
    bits |= 1u << 12;
#endif
#ifdef __AVX512VNNI__
    bits |= 1u << 13;
#endif
#ifdef __AVX512VBMI__
    bits |= 1u << 14;
#endif
#ifdef __AVX512VBMI2__
    bits |= 1u << 15;
#endif
#ifdef __AVX512IFMA__
    bits |= 1u << 16;
#endif
#ifdef __ARM_NEON
    bits |= 1u << 17;
#endif
#ifdef __aarch64__
    bits |= 1u << 18;
#endif
#ifdef __ARM_FEATURE_SVE_BITS
    bits |= std::uint64_t{__ARM_FEATURE_SVE_BITS} << 32;
#endif
#ifdef __riscv_v_fixed_vlen
    bits |= std::uint64_t{__riscv_v_fixed_vlen} << 32;
#endif
#if defined(__wasm_simd128__) && defined(ASHLAR_HAS_REGISTERS)
    bits |= 1u << 19;
#endif
#ifdef __VSX__
    bits |= 1u << 20;
#endif
#ifdef __AVX512CD__
    bits |= 1u << 21;
#endif
#ifdef __AVX512BF16__
    bits |= 1u << 22;
#endif
#ifdef __AVX512FP16__
    bits |= 1u << 23;
#endif
#ifdef __FMA4__
    bits |= 1u << 24;
#endif
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    bits |= 1u << 25;
#endif
#if defined(__arm__) && defined(__ARM_FP)
    bits |= static_cast<std::uint64_t>((__ARM_FP & 4) != 0) << 26 | static_cast<std::uint64_t>((__ARM_FP & 8) != 0)
                                                                        << 27;
#endif
#ifdef ASHLAR_HAS_MVE
    bits |= 1u << 28;
#endif
#ifdef __F16C__
    bits |= 1u << 29;
#endif
#ifdef __ARM_FEATURE_DOTPROD
    bits |= 1u << 30;
#endif
#if defined(__aarch64__) && defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC) && !defined(__ARM_BIG_ENDIAN)
    bits |= 1u << 31;
#endif
#if defined(__ARM_FEATURE_SIMD32) && !defined(__ARM_BIG_ENDIAN)
    bits |= std::uint64_t{1} << 32;
#endif
#if defined(__aarch64__) && defined(__ARM_FEATURE_MATMUL_INT8) && !defined(__ARM_BIG_ENDIAN)
    bits |= std::uint64_t{1} << 33;
#endif
#ifdef ASHLAR_EMULATED_WIDTH
    bits |= std::uint64_t{ASHLAR_EMULATED_WIDTH} << 48;
#endif
    return bits;
}

/// Bits of one register: as the flags enable, or ASHLAR_EMULATED_WIDTH, or 0 for one element at a time.
consteval std::size_t register_bits() {
#if defined(ASHLAR_EMULATED_WIDTH)
    return ASHLAR_EMULATED_WIDTH;
#elif defined(__AVX512F__)
    return 512;
#elif defined(__AVX__)
    return 256;
#elif defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS > 0
    return __ARM_FEATURE_SVE_BITS;
#elif defined(__riscv_v_fixed_vlen)
    return __riscv_v_fixed_vlen;
#elif defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__) || defined(__VSX__) ||                     \
    defined(ASHLAR_HAS_MVE)
    return 128;
#else
    return 0;
#endif
}

/// Architectural vector registers, or registers of single floats if there are none. They limit the accumulators of a
/// register block.
consteval std::size_t register_count() {
#if ASHLAR_REGISTERS != 0
    return ASHLAR_REGISTERS;
#elif defined(ASHLAR_EMULATED_WIDTH)
    return 16;
#elif defined(__AVX512VL__) || defined(__aarch64__) || defined(__AVX512F__) || defined(__riscv_v_fixed_vlen) ||        \
    defined(__VSX__)
    return 32;
#elif defined(ASHLAR_HAS_MVE)
    return 8;
#elif defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP)
    return 32;
#elif defined(__i386__) || (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')
    return 8;
#else
    return 16;
#endif
}

}  // namespace detail

/// Everything about a build that changes generated code: architecture, limits and checks. Each function whose code
/// depends on one of them takes `class Config = current_config`, so that objects built with different flags or
/// macros link together and each keeps its own code.
///
///     static_assert(current_config::register_bits >= 128 && current_config::stack_budget == ASHLAR_STACK_BUDGET);
template <std::uint64_t InstructionSets, std::size_t RegisterBits, std::size_t Registers, std::size_t StackBudget,
          std::size_t L1Bytes, std::size_t L2Bytes, bool Checks, bool FastMath, bool OptimizeSize = false,
          std::size_t L3Bytes = std::size_t{32} * 1024 * 1024>
struct build_config {
    static constexpr std::uint64_t instruction_sets = InstructionSets;
    static constexpr std::size_t register_bits = RegisterBits;
    static constexpr std::size_t registers = Registers;
    static constexpr std::size_t stack_budget = StackBudget;
    static constexpr std::size_t l1_bytes = L1Bytes;
    static constexpr std::size_t l2_bytes = L2Bytes;
    static constexpr std::size_t l3_bytes = L3Bytes;
    static constexpr bool checks = Checks;
    static constexpr bool fast_math = FastMath;
    static constexpr bool optimize_size = OptimizeSize;
};

/// The configuration that this translation unit is compiled with.
///
///     template <class Config = current_config>
///     float halved(float x) noexcept { return x / 2; }   // one function for each set of flags
using current_config = build_config<detail::instruction_sets(), detail::register_bits(), detail::register_count(),
                                    ASHLAR_STACK_BUDGET, ASHLAR_L1_BYTES, ASHLAR_L2_BYTES, ASHLAR_CHECKS != 0,
                                    ASHLAR_FAST_MATH != 0, ASHLAR_OPTIMIZE_SIZE != 0, ASHLAR_L3_BYTES>;

}  // namespace ashlar
