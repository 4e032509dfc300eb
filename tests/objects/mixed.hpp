// SPDX-License-Identifier: BSL-1.0
// What every unit of the mixed program evaluates, each built with other flags and macros.
#pragma once

struct numbers {
    static constexpr int expressions = 14, count = 5 * 11;
    float values[expressions][count];
    double sums[11];
};

/// Results of the unit's own code.
using unit = numbers (*)();
numbers narrow();
numbers narrow_unoptimised();
numbers wide();
numbers wide_unoptimised();
