// SPDX-License-Identifier: BSL-1.0
// Runs the test of an imported network on a Cortex-M in the emulator, with files read by semihosting, and measures a
// call. NETWORK_TEST is the test's source, NETWORK the name of its namespace; main is given the folder.
#define ASHLAR_IMPORT_NO_MAIN
#include NETWORK_TEST

#include <cstddef>
#include <cstdio>

#include "cortex_m_clock.hpp"
#include "cortex_m_stack.hpp"

// The C++ library refers to it for random numbers.
extern "C" int getentropy(void*, std::size_t) { return -1; }

int main(int, char** arguments) {
    start_clock();
    const bool right = NETWORK::passes(arguments[0]);
    const unsigned long count = instructions_of(NETWORK::run);
    std::printf("%lu instructions, %lu bytes of weights, %lu of buffers, %lu of stack: %s\n", count,
                static_cast<unsigned long>(sizeof NETWORK::model), static_cast<unsigned long>(sizeof NETWORK::scratch),
                stack_of(NETWORK::run), right ? "right" : "WRONG");
    return right ? 0 : 1;
}
