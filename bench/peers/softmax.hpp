// SPDX-License-Identifier: BSL-1.0
// The softmax that an expert writes by hand around somebody else's products: vector extensions of the compiler, a
// polynomial exponential, no normalisation before the second product.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/support/bandwidth.hpp"

namespace ashlar::bench::hand {

using vector_bits = std::int32_t __attribute__((vector_size(register_bytes), may_alias, aligned(4)));

/// e^x for x <= 0: 2^n by the exponent field, the rest by a polynomial of degree 5 (about 2 ulp).
[[gnu::always_inline]] inline vector exponential(vector x) {
    const vector lowest = vector{} - 87.0f;
    x = x < lowest ? lowest : x;
    const vector scaled = x * 1.44269504f, shifted = scaled + 12582912.0f, rest = scaled - (shifted - 12582912.0f);
    vector p = rest * 1.33697536e-3f + 9.61800296e-3f;
    p = p * rest + 5.55033250e-2f;
    p = p * rest + 2.40226510e-1f;
    p = p * rest + 6.93147182e-1f;
    p = p * rest + 1.0f;
    return reinterpret_cast<vector>(reinterpret_cast<vector_bits>(p) + (reinterpret_cast<vector_bits>(shifted) << 23));
}

[[gnu::always_inline]] inline vector larger(vector a, vector b) { return a > b ? a : b; }

/// 0, 1, 2 ..., to compare a rest with.
[[gnu::always_inline]] inline vector_bits lane_numbers() {
    vector_bits numbers{};
    for (std::size_t i = 0; i < vector_floats; ++i) numbers[i] = static_cast<std::int32_t>(i);
    return numbers;
}

[[gnu::always_inline]] inline float horizontal_max(vector v) {
    float m = v[0];
    for (std::size_t i = 1; i < vector_floats; ++i) m = v[i] > m ? v[i] : m;
    return m;
}
[[gnu::always_inline]] inline float horizontal_sum(vector v) {
    float s = 0;
    for (std::size_t i = 0; i < vector_floats; ++i) s += v[i];
    return s;
}

/// Replaces a row of n scores, in a room of whole registers of which the rest may be anything, by exp(x - max) and
/// zeros after the n; returns their sum.
[[gnu::always_inline]] inline float softmax_row(float* row, std::size_t n) {
    const std::size_t full = n / vector_floats * vector_floats;
    const vector_bits keep = lane_numbers() < static_cast<std::int32_t>(n - full);
    const vector nothing = vector{} - 1e30f;
    vector m0 = nothing, m1 = nothing;
    std::size_t i = 0;
    for (; i + 2 * vector_floats <= full; i += 2 * vector_floats) {
        m0 = larger(m0, load(row + i));
        m1 = larger(m1, load(row + i + vector_floats));
    }
    if (i < full) m0 = larger(m0, load(row + i));
    if (full < n) m1 = larger(m1, keep ? load(row + full) : nothing);
    const vector largest = vector{} + horizontal_max(larger(m0, m1));
    vector s0{}, s1{};
    for (i = 0; i + 2 * vector_floats <= full; i += 2 * vector_floats) {
        const vector e0 = exponential(load(row + i) - largest),
                     e1 = exponential(load(row + i + vector_floats) - largest);
        s0 += e0;
        s1 += e1;
        store(row + i) = e0;
        store(row + i + vector_floats) = e1;
    }
    if (i < full) {
        const vector e = exponential(load(row + i) - largest);
        s0 += e;
        store(row + i) = e;
    }
    if (full < n) {
        const vector x = load(row + full);
        const vector e = keep ? exponential((keep ? x : largest) - largest) : vector{};
        s1 += e;
        store(row + full) = e;
    }
    return horizontal_sum(s0 + s1);
}

/// The same for a register of queries at once: scores[keys][stride], lanes are queries, no step across lanes. Returns
/// the sums.
[[gnu::always_inline]] inline vector softmax_lanes(float* scores, std::size_t keys, std::size_t stride) {
    vector m0 = load(scores), m1 = m0, m2 = m0, m3 = m0;
    std::size_t j = 0;
    for (; j + 4 <= keys; j += 4) {
        m0 = larger(m0, load(scores + j * stride));
        m1 = larger(m1, load(scores + (j + 1) * stride));
        m2 = larger(m2, load(scores + (j + 2) * stride));
        m3 = larger(m3, load(scores + (j + 3) * stride));
    }
    for (; j < keys; ++j) m0 = larger(m0, load(scores + j * stride));
    const vector largest = larger(larger(m0, m1), larger(m2, m3));
    vector s0{}, s1{};
    for (j = 0; j + 2 <= keys; j += 2) {
        const vector e0 = exponential(load(scores + j * stride) - largest),
                     e1 = exponential(load(scores + (j + 1) * stride) - largest);
        s0 += e0;
        s1 += e1;
        store(scores + j * stride) = e0;
        store(scores + (j + 1) * stride) = e1;
    }
    if (j < keys) {
        const vector e = exponential(load(scores + j * stride) - largest);
        s0 += e;
        store(scores + j * stride) = e;
    }
    return s0 + s1;
}

/// row *= factor.
[[gnu::always_inline]] inline void scale_row(float* row, std::size_t n, float factor) {
    std::size_t i = 0;
    for (; i + vector_floats <= n; i += vector_floats) store(row + i) = load(row + i) * factor;
    for (; i < n; ++i) row[i] *= factor;
}

/// The gelu of a row in its erf form, by a rational approximation of the exponential kind (Abramowitz and Stegun
/// 7.1.26, absolute error below 2e-7 of the argument's size), after adding a bias.
[[gnu::always_inline]] inline vector gelu(vector x) {
    const vector a = x < 0.0f ? -x : x, z = a * 0.70710678f;
    const vector t = 1.0f / (1.0f + 0.3275911f * z);
    vector p = t * 1.061405429f - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    const vector tail = p * t * exponential(-z * z) * 0.5f;  // half of erfc
    return x < 0.0f ? x * tail : x - x * tail;
}

/// rows[count][width] = gelu(rows + bias).
inline void bias_gelu(float* rows, const float* bias, std::size_t count, std::size_t width) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t j = 0; j < width; j += vector_floats)
            store(rows + i * width + j) = gelu(load(rows + i * width + j) + load(bias + j));
}

}  // namespace ashlar::bench::hand
