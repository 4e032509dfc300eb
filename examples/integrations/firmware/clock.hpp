// SPDX-License-Identifier: BSL-1.0
// The timer of the samples, and the counter of cycles. clock_cortex_m.cpp has them; on a desktop there are none.
#pragma once

#include <cstdint>

namespace firmware {

/// Lets interrupts come at the sample rate: `take_sample`, and `run_block` at the lowest priority.
void start_timer() noexcept;
void stop_timer() noexcept;
/// Sleeps until the next interrupt.
void wait() noexcept;
/// A clock that runs on: cycles, by the debug unit where there is one, else by the system timer.
std::uint32_t ticks() noexcept;
const char* tick_name() noexcept;
/// Ticks between two samples; 0 if it is not known.
std::uint32_t ticks_a_sample() noexcept;

}  // namespace firmware
