// SPDX-License-Identifier: BSL-1.0
// A Cortex-M as a board: vectors, start-up, the three functions of the C library that compilers call, and output by
// semihosting. What is left out, as it is a part's own: clocks, the flash's wait states, caches, and the UART.
#include <cstddef>
#include <cstdint>

#include "board.hpp"

namespace {

/// What the stack may take, interrupts included. It lies at the bottom of the RAM: what overflows faults.
constexpr std::size_t stack_bytes = 8192;
constexpr std::uint32_t paint = 0xA5A5A5A5;
[[gnu::section(".stack"), gnu::used]] std::uint32_t stack[stack_bytes / sizeof(std::uint32_t)];

volatile std::uint32_t& device(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

constexpr std::uintptr_t coprocessor_access = 0xE000ED88, debug_monitor = 0xE000EDFC;
constexpr std::uintptr_t cycle_control = 0xE0001000, cycle_count = 0xE0001004;
constexpr std::uintptr_t timer_control = 0xE000E010, timer_reload = 0xE000E014, timer_value = 0xE000E018;

bool has_cycle_counter = false;

/// A request to the debugger, or to the emulator.
int ask_debugger(int operation, const void* argument) {
    register int r0 asm("r0") = operation;
    register const void* r1 asm("r1") = argument;
    asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

[[noreturn]] void stop(int status) {
    const std::uint32_t reason[2] = {0x20026, static_cast<std::uint32_t>(status)};  // the program ended, with a status
    ask_debugger(0x20, reason);
    for (;;) asm volatile("wfi");
}

void start_clock() {
    device(debug_monitor) = device(debug_monitor) | 1u << 24;
    device(cycle_count) = 0;
    device(cycle_control) = device(cycle_control) | 1;
    const std::uint32_t before = device(cycle_count);
    asm volatile("nop\n\tnop\n\tnop" ::: "memory");
    has_cycle_counter = device(cycle_count) != before;  // the emulator has none
    device(timer_reload) = 0xFFFFFF;
    device(timer_value) = 0;
    device(timer_control) = 5;  // on, by the processor's clock, without interrupts
}

}  // namespace

namespace board {

void print(const char* text) noexcept { ask_debugger(0x04, text); }

std::uint32_t ticks() noexcept {
    return has_cycle_counter ? device(cycle_count) : 0xFFFFFF - device(timer_value);  // which counts down
}
const char* tick_name() noexcept { return has_cycle_counter ? "cycles" : "ticks of the system timer"; }

std::size_t stack_used() noexcept {
    std::size_t untouched = 0;
    while (static_cast<volatile std::uint32_t&>(stack[untouched]) == paint) ++untouched;
    return stack_bytes - untouched * sizeof(std::uint32_t);
}
std::size_t stack_size() noexcept { return stack_bytes; }

}  // namespace board

extern "C" {

// By the linker script.
extern std::uint32_t data_begin[], data_end[], bss_begin[], bss_end[];
extern const std::uint32_t data_in_flash[];

[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* memcpy(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 4 == 0)
        for (; bytes >= 4; bytes -= 4, out += 4, in += 4)
            *reinterpret_cast<std::uint32_t*>(out) = *reinterpret_cast<const std::uint32_t*>(in);
    for (; bytes > 0; --bytes) *out++ = *in++;
    return to;
}

[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* memset(void* to, int value, std::size_t bytes) {
    auto* out = static_cast<unsigned char*>(to);
    for (; bytes > 0; --bytes) *out++ = static_cast<unsigned char>(value);
    return to;
}

/// Streams move their history with it. The linker drops it if nothing calls it.
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void* memmove(void* to, const void* from, std::size_t bytes) {
    auto* out = static_cast<unsigned char*>(to);
    const auto* in = static_cast<const unsigned char*>(from);
    if (out <= in || out >= in + bytes) return memcpy(to, from, bytes);
    while (bytes > 0) {
        --bytes;
        out[bytes] = in[bytes];
    }
    return to;
}

[[noreturn, gnu::noinline]] void start_program() {
    start_clock();
    stop(run());
}

/// The first that runs: no variable has its value yet, and floats are off.
[[noreturn]] void reset() {
#if __ARM_ARCH >= 8
    asm volatile("msr msplim, %0" ::"r"(stack));  // the processor's own check; on a Cortex-M4 the end of the RAM is it
#endif
    device(coprocessor_access) = device(coprocessor_access) | 0xFu << 20;  // the float unit, and MVE with it
    asm volatile("dsb\n\tisb" ::: "memory");
    const auto* from = data_in_flash;
    for (std::uint32_t* to = data_begin; to != data_end;) *to++ = *from++;
    for (std::uint32_t* to = bss_begin; to != bss_end;) *to++ = 0;
    const auto* const top = static_cast<volatile std::uint32_t*>(__builtin_frame_address(0)) - 32;
    for (volatile std::uint32_t* to = stack; to != top;) *to++ = paint;
    start_program();
}

[[noreturn]] void fault() {
    board::print("a fault\n");
    stop(2);
}

/// A program that uses interrupts of the core defines these.
[[gnu::weak]] void on_pend();
[[gnu::weak]] void on_timer();

using handler = void (*)();
/// The top of the stack, then handlers: reset, non-maskable, faults, and at the end PendSV and the system timer. A
/// part's interrupts follow the 16th.
[[gnu::section(".vectors"), gnu::used]] const handler vectors[16] = {
    reinterpret_cast<handler>(stack + stack_bytes / sizeof(std::uint32_t)),
    reset,
    fault,
    fault,
    fault,
    fault,
    fault,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    on_pend,
    on_timer};
}
