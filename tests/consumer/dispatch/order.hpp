// SPDX-License-Identifier: BSL-1.0
// What leaks if anything does: templates of the standard library, and an inline function of the user's own.
#pragma once

#include <ashlar/core/dispatch.hpp>

namespace consumer {

/// Sorts the values; gives the sum of their squares.
extern ashlar::dispatched<float(float* values, int count)> order;

/// Compiled in units of all sets and in the program: whose copy would the linker take?
[[gnu::noinline]] inline float sum_of_squares(const float* values, int count) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i] * values[i];
    return sum;
}

}  // namespace consumer
