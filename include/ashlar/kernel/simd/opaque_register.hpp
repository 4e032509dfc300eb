// SPDX-License-Identifier: BSL-1.0
// Barriers for the optimiser: hides a value in its register, and keeps stores before a load.
#pragma once

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Hides a value from the optimiser: Storage is a struct with one register.
template <class Storage>
ASHLAR_ALWAYS_INLINE Storage opaque_register(Storage a) {
#if defined(__clang__) && defined(__ARM_FEATURE_SVE_BITS)
    // clang has no constraint for SVE registers of a fixed size.
    __asm__("" : "+m"(a));
    return a;
#elif defined(__AVX512F__) || defined(__SSE2__) || defined(__ARM_NEON)
    auto value = a.data;
#if defined(__AVX512F__)
    __asm__("" : "+v"(value));
#elif defined(__SSE2__)
    __asm__("" : "+x"(value));
#else
    __asm__("" : "+w"(value));
#endif
    return {value};
#else
    __asm__("" : "+m"(a));
    return a;
#endif
}

/// Between stores of single elements and the load of all of them as one register: g++ 12 moves such a load before
/// stores that it has vectorised with SVE.
ASHLAR_ALWAYS_INLINE void finish_stores() {
#if defined(__ARM_FEATURE_SVE) && defined(__GNUC__) && !defined(__clang__)
    __asm__ volatile("" ::: "memory");
#endif
}

}  // namespace ashlar::detail
