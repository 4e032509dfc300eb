// SPDX-License-Identifier: BSL-1.0
// A desktop as a board.
#include <chrono>
#include <cstdio>

#include "board.hpp"

namespace board {

void print(const char* text) noexcept { std::fputs(text, stdout); }

std::uint32_t ticks() noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}
const char* tick_name() noexcept { return "ns"; }

std::size_t stack_used() noexcept { return 0; }
std::size_t stack_size() noexcept { return 0; }

}  // namespace board

int main() { return run(); }
