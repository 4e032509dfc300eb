// SPDX-License-Identifier: BSL-1.0
// Functions of xsimd for registers of other processors than x86, where the compiler has no notation for them.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>

#if defined(ASHLAR_HAS_REGISTERS) && !defined(__SSE2__)

namespace ashlar::inline v0_1::detail {

/// Members of a template, as x86_instructions are: on x86, where xsimd's functions are not declared, nothing uses this
/// one.
template <class Config>
struct xsimd_functions {
    template <class Batch>
    ASHLAR_ALWAYS_INLINE static Batch abs(Batch a) {
        return xsimd::abs(a);
    }
    template <class Batch>
    ASHLAR_ALWAYS_INLINE static Batch sqrt(Batch a) {
        return xsimd::sqrt(a);
    }
    template <class Batch>
    ASHLAR_ALWAYS_INLINE static Batch floor(Batch a) {
        return xsimd::floor(a);
    }
    template <class Batch>
    ASHLAR_ALWAYS_INLINE static Batch nearest(Batch a) {
        return xsimd::nearbyint(a);
    }
    template <class Batch>
    ASHLAR_ALWAYS_INLINE static Batch fma(Batch a, Batch b, Batch c) {
        return xsimd::fma(a, b, c);
    }
    template <class Mask, class Batch>
    ASHLAR_ALWAYS_INLINE static Batch select(Mask keep, Batch a, Batch b) {
        return xsimd::select(keep, a, b);
    }
    template <class Target, class Batch>
    ASHLAR_ALWAYS_INLINE static auto bit_cast(Batch a) {
        return xsimd::bitwise_cast<Target>(a);
    }
    template <class Target, class Mask>
    ASHLAR_ALWAYS_INLINE static auto mask_cast(Mask a) {
        return xsimd::batch_bool_cast<Target>(a);
    }
    template <class Mask>
    ASHLAR_ALWAYS_INLINE static bool all(Mask a) {
        return xsimd::all(a);
    }
    template <class Mask>
    ASHLAR_ALWAYS_INLINE static bool any(Mask a) {
        return xsimd::any(a);
    }
};

}  // namespace ashlar::detail

#endif
