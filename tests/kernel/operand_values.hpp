// SPDX-License-Identifier: BSL-1.0
// Elements of the operands of kernels.
#pragma once

#include <cstddef>
#include <vector>

namespace support {

/// Small values without a pattern that a wrong index could hide behind.
template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
    std::vector<T> result(count);
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>(static_cast<int>(seed >> 16) % 257 - 128) / T(64);
    }
    return result;
}

}  // namespace support
