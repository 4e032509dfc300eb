// SPDX-License-Identifier: BSL-1.0
// Starts a test program on a Cortex-M without a system: vectors, the floating-point unit, and the functions that
// GoogleTest needs.
#include <cstddef>
#include <cstdint>

extern "C" {
extern char** environ;
[[noreturn]] void _start();  // of the C library, which calls main

static char step[] = "ASHLAR_TEST_STEP=100";
static char* variables[] = {step, nullptr};

[[noreturn]] void start() {
#if defined(__ARM_FP)
    *reinterpret_cast<volatile std::uint32_t*>(0xE000ED88) |= 0xFu << 20;  // off after reset
    asm volatile("dsb\n\tisb" ::: "memory");
#endif
    environ = variables;
    _start();
}

using handler = void (*)();
extern const handler vectors[16];
[[gnu::section(".vectors"), gnu::used]] const handler vectors[16] = {reinterpret_cast<handler>(ASHLAR_STACK_TOP),
                                                                     start};

/// Memory for the heap, between the program and the stack. The emulator expects it elsewhere.
extern char end[];
void* _sbrk(std::ptrdiff_t bytes) {
    static char* next = end;
    char* const block = next;
    if (reinterpret_cast<std::uintptr_t>(next) + static_cast<std::uintptr_t>(bytes) > ASHLAR_HEAP_END)
        return reinterpret_cast<void*>(-1);
    next += bytes;
    return block;
}
int mkdir(const char*, unsigned) { return -1; }
char* getcwd(char*, unsigned) { return nullptr; }
int getentropy(void*, unsigned) { return -1; }
}
