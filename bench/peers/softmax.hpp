// SPDX-License-Identifier: BSL-1.0
// The softmax that an expert writes by hand around somebody else's products: vector extensions of the compiler, a
// polynomial exponential, no normalisation before the second product.
#pragma once

#include "bench/support/bandwidth.hpp"

#include <cstddef>
#include <cstdint>

namespace ashlar::bench::hand {

using line_bits = std::int32_t __attribute__((vector_size(64), may_alias, aligned(4)));

/// e^x for x <= 0: 2^n by the exponent field, the rest by a polynomial of degree 5 (about 2 ulp).
[[gnu::always_inline]] inline line exponential(line x) {
    const line lowest = line{} - 87.0f;
    x = x < lowest ? lowest : x;
    const line scaled = x * 1.44269504f, shifted = scaled + 12582912.0f, rest = scaled - (shifted - 12582912.0f);
    line p = rest * 1.33697536e-3f + 9.61800296e-3f;
    p = p * rest + 5.55033250e-2f;
    p = p * rest + 2.40226510e-1f;
    p = p * rest + 6.93147182e-1f;
    p = p * rest + 1.0f;
    return reinterpret_cast<line>(reinterpret_cast<line_bits>(p) + (reinterpret_cast<line_bits>(shifted) << 23));
}

[[gnu::always_inline]] inline line larger(line a, line b) { return a > b ? a : b; }

/// Numbers 0 to 15, to compare a rest with.
inline constexpr line_bits lane_numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

inline float horizontal_max(line v) {
    float m = v[0];
    for (int i = 1; i < 16; ++i) m = v[i] > m ? v[i] : m;
    return m;
}
inline float horizontal_sum(line v) {
    float s = 0;
    for (int i = 0; i < 16; ++i) s += v[i];
    return s;
}

/// Replaces a row of n scores, in a room of a multiple of 16 of which the rest may be anything, by exp(x - max) and
/// zeros after the n; returns their sum.
[[gnu::always_inline]] inline float softmax_row(float* row, std::size_t n) {
    const std::size_t full = n / line_floats * line_floats;
    const line_bits keep = lane_numbers < static_cast<std::int32_t>(n - full);
    const line nothing = line{} - 1e30f;
    line m0 = nothing, m1 = nothing;
    std::size_t i = 0;
    for (; i + 2 * line_floats <= full; i += 2 * line_floats) {
        m0 = larger(m0, load_line(row + i));
        m1 = larger(m1, load_line(row + i + line_floats));
    }
    if (i < full) m0 = larger(m0, load_line(row + i));
    if (full < n) m1 = larger(m1, keep ? load_line(row + full) : nothing);
    const line largest = line{} + horizontal_max(larger(m0, m1));
    line s0{}, s1{};
    for (i = 0; i + 2 * line_floats <= full; i += 2 * line_floats) {
        const line e0 = exponential(load_line(row + i) - largest), e1 = exponential(load_line(row + i + line_floats) - largest);
        s0 += e0;
        s1 += e1;
        store_line(row + i, e0);
        store_line(row + i + line_floats, e1);
    }
    if (i < full) {
        const line e = exponential(load_line(row + i) - largest);
        s0 += e;
        store_line(row + i, e);
    }
    if (full < n) {
        const line x = load_line(row + full);
        const line e = keep ? exponential((keep ? x : largest) - largest) : line{};
        s1 += e;
        store_line(row + full, e);
    }
    return horizontal_sum(s0 + s1);
}

/// The same for 16 queries at once: scores[keys][stride], lanes are queries, no step across lanes. Returns the sums.
[[gnu::always_inline]] inline line softmax_lanes(float* scores, std::size_t keys, std::size_t stride) {
    line m0 = load_line(scores), m1 = m0, m2 = m0, m3 = m0;
    std::size_t j = 0;
    for (; j + 4 <= keys; j += 4) {
        m0 = larger(m0, load_line(scores + j * stride));
        m1 = larger(m1, load_line(scores + (j + 1) * stride));
        m2 = larger(m2, load_line(scores + (j + 2) * stride));
        m3 = larger(m3, load_line(scores + (j + 3) * stride));
    }
    for (; j < keys; ++j) m0 = larger(m0, load_line(scores + j * stride));
    const line largest = larger(larger(m0, m1), larger(m2, m3));
    line s0{}, s1{};
    for (j = 0; j + 2 <= keys; j += 2) {
        const line e0 = exponential(load_line(scores + j * stride) - largest), e1 = exponential(load_line(scores + (j + 1) * stride) - largest);
        s0 += e0;
        s1 += e1;
        store_line(scores + j * stride, e0);
        store_line(scores + (j + 1) * stride, e1);
    }
    if (j < keys) {
        const line e = exponential(load_line(scores + j * stride) - largest);
        s0 += e;
        store_line(scores + j * stride, e);
    }
    return s0 + s1;
}

/// row *= factor.
[[gnu::always_inline]] inline void scale_row(float* row, std::size_t n, float factor) {
    std::size_t i = 0;
    for (; i + line_floats <= n; i += line_floats) store_line(row + i, load_line(row + i) * factor);
    for (; i < n; ++i) row[i] *= factor;
}

/// The gelu of a row in its erf form, by a rational approximation of the exponential kind (Abramowitz and Stegun
/// 7.1.26, absolute error below 2e-7 of the argument's size), after adding a bias.
[[gnu::always_inline]] inline line gelu(line x) {
    const line a = x < 0.0f ? -x : x, z = a * 0.70710678f;
    const line t = 1.0f / (1.0f + 0.3275911f * z);
    line p = t * 1.061405429f - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const line tail = p * t * exponential(-z * z) * 0.5f;  // half of erfc
    return x < 0.0f ? x * tail : x - x * tail;
}

/// rows[count][width] = gelu(rows + bias).
inline void bias_gelu(float* rows, const float* bias, std::size_t count, std::size_t width) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < width; j += line_floats)
            store_line(rows + i * width + j, gelu(load_line(rows + i * width + j) + load_line(bias + j)));
}

}  // namespace ashlar::bench::hand
