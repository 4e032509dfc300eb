// SPDX-License-Identifier: BSL-1.0
// What the program wants of a board. Another board, or a UART in place of the debugger, is another board_*.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

/// The program, which start-up code calls. Returns 0 if all went well.
int run() noexcept;

namespace board {

/// Writes text that ends in a null character.
void print(const char* text) noexcept;

/// Writes an integer.
inline void print(std::uint32_t value) noexcept {
    char digits[11]{};
    std::size_t first = 10;
    do {
        digits[--first] = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    print(digits + first);
}

/// A clock that runs on, and wraps around at a multiple of 2^24.
std::uint32_t ticks() noexcept;
/// What it counts: cycles of the processor where there is a counter of them.
const char* tick_name() noexcept;

/// The bytes of stack that were written to so far, of how many; 0 where it is not known.
std::size_t stack_used() noexcept;
std::size_t stack_size() noexcept;

}  // namespace board
