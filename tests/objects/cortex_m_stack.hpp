// SPDX-License-Identifier: BSL-1.0
// Measures by a pattern how much of the stack a call on a Cortex-M writes to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cortex_m_start.hpp"

namespace {

/// Bytes of the stack below this frame that a call writes to.
template <class Run>
[[gnu::noinline]] unsigned long stack_of(Run run) {
    constexpr std::uint32_t pattern = 0xA5A5A5A5;
    constexpr std::size_t painted = 6144;
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - 256;
    volatile std::uint32_t* const bottom = &device(here - painted * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < painted; ++i) bottom[i] = pattern;
    run();
    std::size_t untouched = 0;
    while (untouched < painted && bottom[untouched] == pattern) ++untouched;
    return static_cast<unsigned long>((painted - untouched) * sizeof(std::uint32_t) + 256);
}

}  // namespace
