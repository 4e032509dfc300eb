// SPDX-License-Identifier: BSL-1.0
// Counts instructions in the emulator by the system timer of a Cortex-M.
#pragma once

#include <cstdint>

#include "cortex_m_start.hpp"

namespace {

constexpr std::uintptr_t timer_control = 0xE000E010, timer_reload = 0xE000E014, timer_value = 0xE000E018;
constexpr std::uint32_t timer_period = 0xFFFFFF;
// An instruction takes 1 ns in the emulator; timers have 25 and, on the machine of the Cortex-M55, 32 MHz.
#ifdef __ARM_FEATURE_MVE
constexpr std::uint32_t quarters_per_tick = 125;
#else
constexpr std::uint32_t quarters_per_tick = 160;
#endif

void start_clock() {
    device(timer_reload) = timer_period;
    device(timer_control) = 5;  // on, by the processor's clock
}

/// Instructions of a call; at most 500 million, after which the timer begins again.
template <class Run>
unsigned long instructions_of(Run run) {
    device(timer_value) = 0;
    const std::uint32_t before = device(timer_value);
    run();
    const std::uint32_t ticks = (before - device(timer_value)) & timer_period;
    return static_cast<unsigned long>(std::uint64_t{ticks} * quarters_per_tick / 4);
}

}  // namespace
