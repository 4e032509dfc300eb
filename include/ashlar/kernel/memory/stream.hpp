// SPDX-License-Identifier: BSL-1.0
// Stores past the caches: lines that are overwritten whole are not read first.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Elements from p to the first register of `Width` that is aligned in memory; Width if there is none because elements
/// cross their own boundaries.
template <std::size_t Width, class Element>
ASHLAR_ALWAYS_INLINE std::size_t elements_before_register(const Element* p) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    if (address % sizeof(Element) != 0) return Width;
    return (Width - address / sizeof(Element) % Width) % Width;
}

/// Stores one aligned register past all caches. Other threads may see later stores first: see finish_streams.
template <class Element, std::size_t Width, class Config>
ASHLAR_ALWAYS_INLINE void stream(const lanes<Element, Width, Config>& x, Element* target) {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
    constexpr std::size_t bytes = sizeof(x.data);
    if constexpr (bytes == sizeof(__m128i)) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(target), __builtin_bit_cast(__m128i, x.data));
        return;
    }
#if defined(__AVX__)
    if constexpr (bytes == sizeof(__m256i)) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(target), __builtin_bit_cast(__m256i, x.data));
        return;
    }
#endif
#if defined(__AVX512F__)
    if constexpr (bytes == sizeof(__m512i)) {
        _mm512_stream_si512(reinterpret_cast<__m512i*>(target), __builtin_bit_cast(__m512i, x.data));
        return;
    }
#endif
#endif
    x.store(target);
}

/// Orders later stores after all stores past the caches, for other threads too.
template <class Config>
ASHLAR_ALWAYS_INLINE void finish_streams() {
#if defined(ASHLAR_HAS_REGISTERS) && defined(__SSE2__)
    _mm_sfence();
#endif
}

}  // namespace ashlar::detail
