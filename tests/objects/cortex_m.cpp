// SPDX-License-Identifier: BSL-1.0
// Starts a Cortex-M4, runs attention there against constants, and counts instructions by the system timer.
#include <cstdint>
#include <cstdio>

#include "attend16.hpp"

namespace {

constexpr square numbers(unsigned seed) {
    square result{};
    for (float& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<float>(static_cast<int>(seed >> 16) - 32768) / 32768.0f;
    }
    return result;
}

constexpr square q = numbers(1), k = numbers(2), v = numbers(3);
constexpr square full = ashlar::attention(q, k, v);
constexpr square causal = ashlar::attention(q, k, v, ashlar::causal);

volatile std::uint32_t& device(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

constexpr std::uintptr_t timer_control = 0xE000E010, timer_reload = 0xE000E014, timer_value = 0xE000E018;
constexpr std::uintptr_t coprocessor_access = 0xE000ED88;
constexpr std::uint32_t timer_period = 0xFFFFFF;
constexpr std::uint32_t instructions_per_tick = 40;  // a timer of 25 MHz, and an instruction takes 1 ns in the emulator

square result;

bool attention_is_right(const char* name, decltype(&attend) run, const square& expected) {
    device(timer_value) = 0;
    const std::uint32_t before = device(timer_value);
    run(result, q, k, v);
    const std::uint32_t ticks = (before - device(timer_value)) & timer_period;
    float worst = 0;
    for (std::size_t i = 0; i < square::size; ++i) {
        const float difference = result.begin()[i] - expected.begin()[i];
        worst = difference > worst ? difference : -difference > worst ? -difference : worst;
    }
    const bool right = worst < 1e-6f;
    std::printf("%s attention 16x16: about %lu instructions, %ld units of 1e-9 from the constant: %s\n", name,
                static_cast<unsigned long>(ticks * instructions_per_tick), static_cast<long>(worst * 1e9f),
                right ? "right" : "WRONG");
    return right;
}

}  // namespace

int main() {
    device(timer_reload) = timer_period;
    device(timer_control) = 5;  // on, by the processor's clock
    const bool a = attention_is_right("full", attend, full);
    const bool b = attention_is_right("causal", attend_causally, causal);
    return a && b ? 0 : 1;
}

extern "C" {

void _start();

void start() {
    device(coprocessor_access) |= 0xFu << 20;  // the floating-point unit is off after reset
    asm volatile("dsb\n\tisb" ::: "memory");
    _start();
}

using handler = void (*)();
[[gnu::section(".vectors"), gnu::used]] handler const vectors[16] = {reinterpret_cast<handler>(0x20400000), start};
}
