// SPDX-License-Identifier: BSL-1.0
// What a matrix of int4 and products with it must be, by loops over integers after ggml's quantize_row_q4_0_ref.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace support {

/// A column in Q4_0: integers from -8 to 7, and a scale for every 32 of them.
struct q4_column {
    std::vector<int> integers;
    std::vector<ashlar::f16> scales;

    explicit q4_column(const std::vector<float>& column) {
        for (std::size_t first = 0; first < column.size(); first += 32) {
            const std::size_t end = (std::min)(first + 32, column.size());
            float greatest = 0;
            for (std::size_t i = first; i < end; ++i)
                if (std::fabs(column[i]) > std::fabs(greatest)) greatest = column[i];
            const float d = greatest / -8, inverse = d != 0 ? 1 / d : 0;
            scales.push_back(ashlar::f16(d));
            for (std::size_t i = first; i < end; ++i) {
                const volatile float product = column[i] * inverse, up = product + 8.5f;
                integers.push_back((std::min)(15, static_cast<int>(up)) - 8);
            }
        }
    }
};

template <auto Rows, auto Columns>
std::vector<q4_column> q4_columns(const ashlar::basic_tensor<float, Rows, Columns>& w) {
    std::vector<q4_column> columns;
    for (std::size_t j = 0; j < Columns; ++j) {
        std::vector<float> column;
        for (std::size_t k = 0; k < Rows; ++k) column.push_back(w(k, j));
        columns.emplace_back(column);
    }
    return columns;
}

/// A sum in double precision, and the sum of the magnitudes of its parts.
struct bounded_sum {
    double sum = 0, magnitude = 0;
};

/// x by w: rows in groups of 32 rounded to 8 bits, sums of integers, then both scales.
template <class Left>
std::vector<bounded_sum> q4_products(const Left& x, const std::vector<q4_column>& columns) {
    const std::size_t depth = columns[0].integers.size();
    std::vector<bounded_sum> y;
    for (std::size_t i = 0; i < x.size() / depth; ++i)
        for (const q4_column& column : columns) {
            bounded_sum all;
            for (std::size_t first = 0; first < depth; first += 32) {
                const float* const row = x.data() + i * depth;
                float greatest = 0;
                const std::size_t end = (std::min)(first + 32, depth);
                for (std::size_t k = first; k < end; ++k) greatest = (std::fmax)(greatest, std::fabs(row[k]));
                // Volatile, because the assembler takes a conditional vcvt.f64.f32 for another one on a Cortex-M55.
                const volatile float scale = greatest / 127;
                const float inverse = greatest == 0 ? 0 : 127 / greatest;
                std::int64_t sum = 0;
                for (std::size_t k = first; k < end; ++k) {
                    const volatile float product = row[k] * inverse;
                    sum += static_cast<int>(std::nearbyint(product)) * column.integers[k];
                }
                const double part =
                    static_cast<double>(sum) * double(scale) * double(static_cast<float>(column.scales[first / 32]));
                all.sum += part;
                all.magnitude += std::fabs(part);
            }
            y.push_back(all);
        }
    return y;
}

/// Sums of groups in float: a rounding or three for each.
template <class Result>
void expect_close(const Result& y, const std::vector<bounded_sum>& expected) {
    ASSERT_EQ(y.size(), expected.size());
    for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_NEAR(y.data()[i], expected[i].sum, 1e-6 * expected[i].magnitude) << i;
}

}  // namespace support
