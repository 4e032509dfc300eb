// SPDX-License-Identifier: BSL-1.0
// A row of a product with a matrix in 8 bits, in constant expressions: rounded and added up as at run time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/core/smoothed.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/expr/nodes/quantized_int4.hpp>

namespace ashlar::inline v0_1::detail {

/// The row of the result that belongs to a row of the left operand.
template <class Config, class Matrix>
constexpr void multiply_rounded(const float* row, const Matrix& w, float* out) noexcept {
    constexpr std::size_t depth = Matrix::extents[0], columns = Matrix::extents[1], spread = Matrix::layout.spread;
    const auto value = [&](std::size_t k) { return row[k]; };
    std::int32_t greatest = 0;
    for_each_spread(depth, spread, value, [&](std::size_t, float x) {
        const std::int32_t bits = magnitude_bits(x);
        greatest = bits > greatest ? bits : greatest;
    });
    const byte_scale by = spread == 0 ? byte_scale{1, 1} : byte_scale_of(greatest);
    std::int8_t rounded[depth]{};
    for_each_spread(depth, spread, value, [&](std::size_t k, float x) {
        rounded[k] = spread == 0 ? static_cast<std::int8_t>(x) : rounded_to_byte(x, by.inverse);
    });
    for (std::size_t j = 0; j < columns; ++j) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < depth; ++k) sum += std::int32_t{rounded[k]} * w.data()[Matrix::layout.offset(k, j)];
        out[j] = static_cast<float>(sum) * w.column_scales()[j] * by.scale;
    }
}

/// The same with a matrix of int4, group by group.
template <class Config, class Matrix>
    requires(Matrix::scale_group != 0)
constexpr void multiply_rounded(const float* row, const Matrix& w, float* out) noexcept {
    constexpr std::size_t depth = Matrix::extents[0], columns = Matrix::extents[1], group = int4_layout::group;
    for (std::size_t j = 0; j < columns; ++j) out[j] = 0;
    for (std::size_t first = 0; first < depth; first += group) {
        const std::size_t count = depth - first < group ? depth - first : group;
        std::int32_t greatest = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t bits = magnitude_bits(row[first + k]);
            greatest = bits > greatest ? bits : greatest;
        }
        const byte_scale by = byte_scale_of(greatest);
        for (std::size_t j = 0; j < columns; ++j) {
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < count; ++k)
                sum += std::int32_t{rounded_to_byte(row[first + k], by.inverse)} *
                       int4_integer(Matrix::layout, w.data(), first + k, j);
            out[j] = static_cast<float>(sum) * int4_scale_at(Matrix::layout, w.data(), first, j) * by.scale + out[j];
        }
    }
}

}  // namespace ashlar::detail
