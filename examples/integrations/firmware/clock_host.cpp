// SPDX-License-Identifier: BSL-1.0
// A desktop has no such interrupts: the program takes samples when it waits for them.
#include <chrono>
#include <cstdint>

#include "clock.hpp"
#include "listener.hpp"
#include "sensor.hpp"

namespace firmware {
namespace {

std::uint32_t taken = 0;

}  // namespace

void start_timer() noexcept {}
void stop_timer() noexcept {}
void wait() noexcept {
    if (take_sample(sensor(taken++))) run_block();
}
std::uint32_t ticks() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
const char* tick_name() noexcept { return "ns"; }
std::uint32_t ticks_a_sample() noexcept { return 1'000'000'000u / sample_rate; }

}  // namespace firmware
