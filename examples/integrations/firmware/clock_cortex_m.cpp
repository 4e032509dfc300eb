// SPDX-License-Identifier: BSL-1.0
// The system timer of a Cortex-M interrupts at the sample rate; DWT's counter counts cycles, where there is one.
#include <cstdint>

#include "clock.hpp"
#include "listener.hpp"
#include "sensor.hpp"

#ifndef CLOCK_RATE
#error "CLOCK_RATE: the rate of the processor in Hz; an STM32F4 has 168000000 when its start-up code has set it"
#endif

namespace {

volatile std::uint32_t& device(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

constexpr std::uintptr_t interrupt_control = 0xE000ED04, priorities = 0xE000ED20, debug_monitor = 0xE000EDFC;
constexpr std::uintptr_t timer_control = 0xE000E010, timer_reload = 0xE000E014, timer_value = 0xE000E018;
constexpr std::uintptr_t cycle_control = 0xE0001000, cycle_count = 0xE0001004;
constexpr std::uint32_t period = CLOCK_RATE / firmware::sample_rate;
static_assert(period <= 1u << 24, "the system timer has 24 bits");

bool has_cycle_counter = false;
volatile std::uint32_t taken = 0;

}  // namespace

namespace firmware {

void start_timer() noexcept {
    device(debug_monitor) = device(debug_monitor) | 1u << 24;  // the trace unit has power
    device(cycle_count) = 0;
    device(cycle_control) = device(cycle_control) | 1;
    const std::uint32_t before = device(cycle_count);
    asm volatile("nop\n\tnop\n\tnop" ::: "memory");
    has_cycle_counter = device(cycle_count) != before;  // the emulator has none

    device(priorities) = 0x40FF0000;  // the timer at 0x40, PendSV below all: samples come while a block is computed
    device(timer_reload) = period - 1;
    device(timer_value) = 0;
    device(timer_control) = 7;  // on, with interrupts, by the clock of the processor
}

void stop_timer() noexcept { device(timer_control) = 0; }

void wait() noexcept { asm volatile("wfi" ::: "memory"); }

std::uint32_t ticks() noexcept {
    if (has_cycle_counter) return device(cycle_count);
    std::uint32_t before = 0, value = 0;
    do {
        before = taken;
        value = device(timer_value);  // which counts down
    } while (before != taken);
    return before * period + (period - 1 - value);
}
const char* tick_name() noexcept { return has_cycle_counter ? "cycles" : "ticks of the system timer"; }
std::uint32_t ticks_a_sample() noexcept { return period; }

}  // namespace firmware

extern "C" {

/// The timer: a sample, and a request for PendSV when a block is full.
void on_timer() {
    const std::uint32_t i = taken;
    taken = i + 1;
    if (firmware::take_sample(firmware::sensor(i))) device(interrupt_control) = 1u << 28;
}

void on_pend() { firmware::run_block(); }
}
