// SPDX-License-Identifier: BSL-1.0
// Counts every allocation of a program, of which one source includes this: operators new that replace those of the
// standard library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace examples {

inline std::atomic<std::size_t> allocations = 0;

}  // namespace examples

void* operator new(std::size_t bytes) {
    ++examples::allocations;
    if (void* const memory = std::malloc(bytes != 0 ? bytes : 1)) return memory;
    std::abort();
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    ++examples::allocations;
    const auto to = static_cast<std::size_t>(alignment);
    if (void* const memory = std::aligned_alloc(to, (bytes + to - 1) / to * to)) return memory;
    std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
