// SPDX-License-Identifier: BSL-1.0
// The timer of the samples, and the counter of cycles. clock_cortex_m.cpp implements them for Cortex-M, clock_host.cpp
// simulates them.
#pragma once

#include <cstdint>

namespace firmware {

/// Starts interrupts at the sample rate: `take_sample`, and `run_block` at the lowest priority.
void start_timer() noexcept;
void stop_timer() noexcept;
/// Sleeps until the next interrupt.
void wait() noexcept;
/// A running counter of cycles: the debug unit if there is one, otherwise the system timer.
std::uint32_t ticks() noexcept;
const char* tick_name() noexcept;
/// Ticks between two samples; 0 if unknown.
std::uint32_t ticks_a_sample() noexcept;

}  // namespace firmware
