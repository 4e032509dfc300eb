// SPDX-License-Identifier: BSL-1.0
// What starts a program on a Cortex-M in the emulator: vectors, the floating-point unit, devices. In one unit of it.
#pragma once

#include <cstdint>

namespace {

#ifdef __ARM_FEATURE_MVE
constexpr std::uintptr_t end_of_stack = 0x30080000;
#else
constexpr std::uintptr_t end_of_stack = 0x20400000;
#endif

volatile std::uint32_t& device(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

}  // namespace

extern "C" {

void _start();

void start() {
    device(0xE000ED88) |= 0xFu << 20;  // the floating-point unit is off after reset
    asm volatile("dsb\n\tisb" ::: "memory");
    _start();
}

using handler = void (*)();
[[gnu::section(".vectors"), gnu::used]] handler const vectors[16] = {reinterpret_cast<handler>(end_of_stack), start};
}
