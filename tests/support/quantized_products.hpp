// SPDX-License-Identifier: BSL-1.0
// What a product with a matrix in 8 bits must give, by loops over integers.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace support {

/// The result of x by w, by loops: sums of integers, then both scales.
template <class Left, auto Rows, auto Columns>
std::vector<float> products(const Left& x, const ashlar::basic_quantized<float, Rows, Columns>& w) {
    std::vector<float> y;
    for (std::size_t i = 0; i < x.size() / Rows; ++i) {
        const auto* const row = x.data() + i * Rows;
        float greatest = 0;
        for (std::size_t k = 0; k < Rows; ++k) greatest = (std::fmax)(greatest, std::fabs(row[k]));
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
