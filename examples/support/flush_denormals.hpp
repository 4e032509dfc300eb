// SPDX-License-Identifier: BSL-1.0
// A guard: during its lifetime, this thread's floating-point unit treats denormal numbers as zeros and makes none.
#pragma once

#include <cstdint>

#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace examples {

/// The control register of this thread's floats, where the processor has such a switch; 0 elsewhere.
inline std::uint64_t float_control() noexcept {
#if defined(__SSE__) || defined(_M_X64)
    return _mm_getcsr();
#elif defined(__aarch64__)
    std::uint64_t value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
#else
    return 0;
#endif
}
inline void set_float_control([[maybe_unused]] std::uint64_t value) noexcept {
#if defined(__SSE__) || defined(_M_X64)
    _mm_setcsr(static_cast<unsigned>(value));
#elif defined(__aarch64__)
    asm volatile("msr fpcr, %0" ::"r"(value));
#endif
}

/// Construct it at the top of the callback: hosts do not agree on the mode in which they call. It restores the mode.
class flush_denormals {
public:
#if defined(__SSE__) || defined(_M_X64)
    static constexpr std::uint64_t bits = 0x8040;  // results (FTZ) and operands (DAZ)
#elif defined(__aarch64__)
    static constexpr std::uint64_t bits = std::uint64_t{1} << 24;  // both (FZ)
#else
    static constexpr std::uint64_t bits = 0;
#endif
    explicit flush_denormals(bool on = true) noexcept : before(float_control()) {
        if (on) set_float_control(before | bits);
    }
    ~flush_denormals() { set_float_control(before); }
    flush_denormals(const flush_denormals&) = delete;
    flush_denormals& operator=(const flush_denormals&) = delete;

private:
    std::uint64_t before;
};

}  // namespace examples
