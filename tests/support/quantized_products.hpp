// SPDX-License-Identifier: BSL-1.0
// What a product with a matrix in 8 bits must give, by loops over integers and a Hadamard matrix written out.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace support {

/// The elements that stand `apart` elements from each other, added up with the signs of a row of the Hadamard matrix,
/// by halves, as there is one order of additions.
inline float signed_sum(const float* values, std::size_t parts, std::size_t apart, std::size_t row) {
    if (parts == 1) return *values;
    // Neighbours first: the sums of the first step are those of every second part.
    std::vector<float> sums;
    for (std::size_t i = 0; i < parts; i += 2) {
        const volatile float a = values[i * apart], b = values[(i + 1) * apart], sum = (row & 1) != 0 ? a - b : a + b;
        sums.push_back(float{sum});
    }
    return signed_sum(sums.data(), parts / 2, 1, row / 2);
}

/// A line with its outliers spread over some parts, divided by their number; with one part the line.
template <class Value>
std::vector<float> spread_line(const Value* line, std::size_t depth, std::size_t parts) {
    std::vector<float> scaled(depth), result(depth);
    for (std::size_t k = 0; k < depth; ++k) scaled[k] = static_cast<float>(line[k]) / static_cast<float>(parts);
    const std::size_t apart = depth / parts;
    for (std::size_t k = 0; k < depth; ++k) result[k] = signed_sum(scaled.data() + k % apart, parts, apart, k / apart);
    return result;
}

/// The result of x by w, by loops: rows, spread if those of w are, sums of integers, then both scales.
template <class Left, class Element, auto Rows, auto Columns>
std::vector<float> products(const Left& x, const ashlar::basic_quantized<Element, Rows, Columns>& w) {
    std::vector<float> y;
    for (std::size_t i = 0; i < x.size() / Rows; ++i) {
        const std::vector<float> row = spread_line(x.data() + i * Rows, Rows, w.layout.spread);
        float greatest = 0;
        for (const float v : row) greatest = (std::fmax)(greatest, std::fabs(v));
        const float scale = greatest / 127, inverse = greatest == 0 ? 0 : 127 / greatest;
        for (std::size_t j = 0; j < Columns; ++j) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < Rows; ++k) {
                const volatile float shifted = row[k] * inverse;
                sum += static_cast<int>(std::nearbyint(shifted)) * w.elements[w.layout.offset(k, j)];
            }
            y.push_back(static_cast<float>(sum) * w.scales[j] * scale);
        }
    }
    return y;
}

template <class Result>
void expect_same(const Result& y, const std::vector<float>& expected) {
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data()[i], expected[i]) << i;
}

}  // namespace support
