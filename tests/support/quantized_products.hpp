// SPDX-License-Identifier: BSL-1.0
// What a product with a matrix in 8 bits must give, by loops over integers and a Hadamard matrix written out.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

namespace support {

/// Values added up with the signs of a row of the Hadamard matrix, by halves, as there is one order of additions.
inline float signed_sum(const std::vector<float>& values, std::size_t row) {
    if (values.size() == 1) return values[0];
    // Neighbours first: the sums of the first step are those of every second value.
    std::vector<float> sums;
    for (std::size_t i = 0; i < values.size(); i += 2) {
        const volatile float a = values[i], b = values[i + 1], sum = (row & 1) != 0 ? a - b : a + b;
        sums.push_back(float{sum});
    }
    return signed_sum(sums, row / 2);
}

/// A line with its outliers spread over groups of so many entries, and divided by that: in each of up to 16 blocks of
/// the line, of at least 16 entries, the groups have one entry or four neighbours.
template <class Value>
std::vector<float> spread_line(const Value* line, std::size_t depth, std::size_t spread) {
    std::size_t blocks = 1;
    while (blocks < 16 && depth % (2 * blocks) == 0 && depth / (2 * blocks) >= 16) blocks *= 2;
    if (spread == 1) blocks = 1;
    const std::size_t apart = depth / blocks, side = spread / blocks;
    std::vector<float> result(depth);
    for (std::size_t k = 0; k < depth; ++k) {
        std::vector<float> group;
        for (std::size_t block = 0; block < blocks; ++block)
            for (std::size_t q = 0; q < side; ++q)
                group.push_back(static_cast<float>(line[block * apart + k % apart - k % side + q]) /
                                static_cast<float>(spread));
        result[k] = signed_sum(group, k / apart * side + k % side);
    }
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

/// Left operands that lie otherwise: turned, narrow, a vector, rows with gaps. `expect(y, x)` is told what the product
/// must be that of, an operand without gaps.
template <std::size_t Depth, class Matrix, class Expect>
void check_left_operands(const Matrix& w, const Expect& expect) {
    const auto x = random_numbers(9).normal<float, 3, 21, Depth>();
    ashlar::tensor<float, 3, Depth, 21> turned;
    ashlar::tensor<ashlar::bf16, 3, 21, Depth> narrow;
    ashlar::tensor<float, 3, 21, Depth> widened;
    ashlar::tensor<float, 3, 11, Depth> kept;
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t i = 0; i < 21; ++i)
            for (std::size_t k = 0; k < Depth; ++k) {
                turned(b, k, i) = x(b, i, k);
                narrow(b, i, k) = ashlar::bf16(x(b, i, k));
                widened(b, i, k) = narrow(b, i, k);
                kept(b, i / 2, k) = x(b, i / 2 * 2, k);
            }
    const ashlar::tensor_view<const float, Depth> one(x.data());
    expect(eval(matmul(transpose(turned), w)), x);
    expect(eval(matmul(narrow, w)), widened);
    expect(eval(matmul(one, w)), one);
    expect(eval(matmul(slice<1, 0, 21, 2>(x), w)), kept);
}

}  // namespace support
