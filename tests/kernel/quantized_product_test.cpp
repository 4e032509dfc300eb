// SPDX-License-Identifier: BSL-1.0
// Products with a matrix in 8 bits against naive loops over integers: exactly.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/quantized_product.hpp>
#include <ashlar/kernel/product/rounded_columns.hpp>
#include <ashlar/tensor/quantized_columns.hpp>

#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;
using support::values;

constexpr std::size_t width = lane_width<float, current_config>;

/// A matrix [rows, columns] of floats, rounded column by column, in memory that ends with its last element.
struct rounded_matrix {
    interleaved_layout layout;
    std::vector<std::int8_t> elements;
    std::vector<float> scales;
    std::vector<std::int32_t> sums;

    rounded_matrix(const std::vector<float>& w, std::size_t rows, std::size_t columns)
        : layout{rows, columns, 16, 4},
          elements(layout.size(), 99),
          scales(layout.panels() * 16, 99.0f),
          sums(layout.panels() * 16, 99) {
        const quantized_columns all{layout, elements.data(), scales.data(), sums.data()};
        all.clear_rest<current_config>();
        for (std::size_t c = 0; c < columns; ++c)
            all.set<current_config>(c, [&](std::size_t r) { return w[r * columns + c]; });
    }
    quantized_memory memory() const { return {elements.data(), scales.data(), sums.data()}; }
};

/// What rounding gives, by the standard library.
struct rounded_line {
    float scale = 0;
    std::vector<int> integers;

    explicit rounded_line(const std::vector<float>& line) {
        float greatest = 0;
        for (const float x : line) greatest = std::fabs(x) > greatest ? std::fabs(x) : greatest;
        scale = greatest / 127;
        const float inverse = greatest == 0 ? 0 : 127 / greatest;
        for (const float x : line) {
            const volatile float product = x * inverse;
            integers.push_back(static_cast<int>(std::nearbyint(product)));
        }
    }
};

template <std::size_t Rows, std::size_t Columns, std::size_t Depth, std::size_t Distance = Depth>
void expect_exact(const std::vector<float>& x, const std::vector<float>& w) {
    constexpr quantized_shape plain{Rows, Distance, {Depth, Columns, 16, 4}};
    constexpr quantized_shape shape{Rows, Distance, plain.right,
                                    choose_quantized_cut(Rows, plain.right, machine_of<current_config>)};
    constexpr float untouched = -77;
    const rounded_matrix right(w, Depth, Columns);
    std::vector<float> y(Rows * Columns + 1, untouched);
    std::vector<float> scratch(rounded_rows_bytes(Rows, Depth, machine_of<current_config>) / sizeof(float) + 1,
                               std::numeric_limits<float>::quiet_NaN());
    store_product<float, current_config, Columns> epilogue{y.data()};
    quantized_product<current_config, shape>({x.data()}, right.memory(), epilogue, scratch.data());
    EXPECT_EQ(y.back(), untouched);
    EXPECT_TRUE(std::isnan(scratch.back()));
    std::vector<rounded_line> columns;
    for (std::size_t j = 0; j < Columns; ++j) {
        std::vector<float> line;
        for (std::size_t k = 0; k < Depth; ++k) line.push_back(w[k * Columns + j]);
        columns.emplace_back(line);
    }
    for (std::size_t i = 0; i < Rows; ++i) {
        const auto* const first = x.data() + i * Distance;
        const rounded_line row(std::vector<float>(first, first + Depth));
        for (std::size_t j = 0; j < Columns; ++j) {
            std::int64_t sum = 0;
            for (std::size_t k = 0; k < Depth; ++k) sum += row.integers[k] * columns[j].integers[k];
            const float expected = static_cast<float>(sum) * columns[j].scale * row.scale;
            ASSERT_EQ(y[i * Columns + j], expected)
                << Rows << "x" << Depth << "x" << Columns << " at " << i << "," << j;
        }
    }
}

template <std::size_t Rows, std::size_t Columns, std::size_t Depth>
void expect_exact() {
    expect_exact<Rows, Columns, Depth, Depth + 3>(values<float>(Rows * (Depth + 3), 1),
                                                  values<float>(Depth * Columns, 2));
}

TEST(QuantizedProduct, ColumnsAroundARegister) {
    expect_exact<3, 1, 8>();
    expect_exact<3, (width > 1 ? width - 1 : 1), 8>();
    expect_exact<3, width, 8>();
    expect_exact<3, width + 1, 8>();
    expect_exact<3, 67, 8>();
}

TEST(QuantizedProduct, DepthsAroundGroupsAndRegisters) {
    expect_exact<2, 17, 1>();
    expect_exact<2, 17, 3>();
    expect_exact<2, 17, 5>();
    expect_exact<2, 17, width + 1>();
    expect_exact<2, 17, 64>();
    expect_exact<2, 17, 67>();
}

TEST(QuantizedProduct, RowsAroundBlocks) {
    expect_exact<1, 48, 127>();
    expect_exact<8, 48, 31>();
    expect_exact<29, 100, 61>();
}

// A row whose pieces lie in several arrays gives what a row in one gives.
template <std::size_t Rows, std::size_t Pieces, std::size_t Piece>
void expect_pieces() {
    constexpr std::size_t depth = Pieces * Piece, columns = 19, distance = Piece + 5;
    constexpr interleaved_layout layout{depth, columns, 16, 4};
    constexpr product_cut cut = choose_quantized_cut(Rows, layout, machine_of<current_config>);
    const std::vector<float> x = values<float>(Rows * depth, 3);
    const rounded_matrix right(values<float>(depth * columns, 4), depth, columns);
    std::vector<std::vector<float>> apart(Pieces, std::vector<float>(Rows * distance, 1e6f));
    std::array<const float*, Pieces> pieces{};
    for (std::size_t p = 0; p < Pieces; ++p) {
        for (std::size_t i = 0; i < Rows; ++i)
            for (std::size_t k = 0; k < Piece; ++k) apart[p][i * distance + k] = x[i * depth + p * Piece + k];
        pieces[p] = apart[p].data();
    }
    std::vector<float> scratch(rounded_rows_bytes(Rows, depth, machine_of<current_config>) / sizeof(float));
    std::vector<float> expected(Rows * columns), y(Rows * columns);
    store_product<float, current_config, columns> whole{expected.data()}, joined{y.data()};
    quantized_product<current_config, quantized_shape{Rows, depth, layout, cut}>({x.data()}, right.memory(), whole,
                                                                                 scratch.data());
    quantized_product<current_config, quantized_shape{Rows, distance, layout, cut, Pieces}>(pieces, right.memory(),
                                                                                            joined, scratch.data());
    EXPECT_EQ(y, expected);
}
TEST(QuantizedProduct, RowsInPieces) {
    constexpr std::size_t piece = width < 4 ? 4 : width;
    expect_pieces<5, 3, piece>();
    expect_pieces<1, 2, 3 * piece>();
    expect_pieces<4, 10, piece>();
}

// All magnitudes at their greatest: pairs of products fill 16 bits, sums are as large as they become.
TEST(QuantizedProduct, GreatestMagnitudes) {
    constexpr std::size_t depth = 4096;
    for (const float sign : {1.0f, -1.0f}) {
        expect_exact<3, 19, depth>(std::vector<float>(3 * depth, 5.0f), std::vector<float>(depth * 19, sign * 0.25f));
        expect_exact<3, 19, depth>(std::vector<float>(3 * depth, -5.0f), std::vector<float>(depth * 19, sign * 0.25f));
    }
}

// A matrix of the most rows that one may have, which takes 5 MB.
TEST(QuantizedProduct, GreatestSums) {
    constexpr std::size_t most = 131'072;
    expect_exact<1, 1, most>(std::vector<float>(most, -3.0f), std::vector<float>(most, 2.0f));
}

TEST(QuantizedProduct, HalvesGoToTheEvenInteger) {
    // The scale is 1, so that halves are exactly between two integers.
    std::vector<float> line;
    for (int i = -126; i < 127; ++i) line.push_back(static_cast<float>(i) + 0.5f);
    line.push_back(127);
    const std::size_t depth = 254;
    std::vector<float> ones(depth * 3, 1.0f);
    for (std::size_t k = 0; k < depth; ++k) ones[k * 3 + 1] = line[k];
    expect_exact<1, 3, 254>(line, ones);
}

// Rows whose sums of integers times their own scale would leave the range of floats: what the weights make of them does
// not.
TEST(QuantizedProduct, RowsNearTheGreatestFloat) {
    constexpr std::size_t depth = 131, columns = 19;
    auto x = values<float>(3 * depth, 1), w = values<float>(depth * columns, 2);
    for (float& each : x) each *= 1e38f;
    for (float& each : w) each *= 1e-9f;
    expect_exact<3, columns, depth>(x, w);
    for (std::size_t j = 0; j < columns; ++j) w[j] = w[columns + j] = 1e-9f;
    for (std::size_t k = 0; k < depth; ++k) x[k] = 3e38f;
    const rounded_line row(std::vector<float>(x.begin(), x.begin() + depth));
    EXPECT_TRUE(std::isinf(row.scale * 127 * 127 * static_cast<float>(depth))) << "the test is about such rows";
    expect_exact<3, columns, depth>(x, w);
}

TEST(QuantizedProduct, LinesWithoutAScale) {
    constexpr std::size_t depth = 21, columns = 18;
    constexpr interleaved_layout layout{depth, columns, 16, 4};
    constexpr quantized_shape shape{4, depth, layout, choose_quantized_cut(4, layout, machine_of<current_config>)};
    auto x = values<float>(4 * depth, 1), w = values<float>(depth * columns, 2);
    for (std::size_t k = 0; k < depth; ++k) x[k] = 0;
    x[depth + 20] = std::numeric_limits<float>::quiet_NaN();
    x[2 * depth + 3] = -std::numeric_limits<float>::infinity();
    for (std::size_t k = 0; k < depth; ++k) w[k * columns + 1] = 0;
    w[5 * columns + 17] = std::numeric_limits<float>::infinity();
    const rounded_matrix right(w, depth, columns);
    std::vector<float> y(4 * columns),
        scratch(rounded_rows_bytes(4, depth, machine_of<current_config>) / sizeof(float));
    store_product<float, current_config, columns> epilogue{y.data()};
    quantized_product<current_config, shape>({x.data()}, right.memory(), epilogue, scratch.data());
    for (std::size_t j = 0; j < columns; ++j) {
        EXPECT_EQ(std::isnan(y[j]), j == 17) << "a row of zeros";
        if (j != 17) {
            EXPECT_EQ(y[j], 0);
        }
        EXPECT_TRUE(std::isnan(y[columns + j])) << "a row with NaN";
        EXPECT_TRUE(std::isnan(y[2 * columns + j])) << "a row with infinity";
        EXPECT_EQ(std::isnan(y[3 * columns + j]), j == 17) << "the others";
    }
    EXPECT_EQ(y[3 * columns + 1], 0) << "a column of zeros";
}

// Columns that are rounded a register at a time, along rows and along columns of the matrix, beside element by element.
template <std::size_t Rows, std::size_t Columns, std::size_t Distance>
void expect_same_columns(const std::vector<float>& w) {
    constexpr interleaved_layout layout{Rows, Columns, 16, 4};
    const rounded_matrix expected(w, Rows, Columns);
    for (const bool along_rows : {true, false}) {
        std::vector<float> matrix(along_rows ? (Rows - 1) * Distance + Columns : (Columns - 1) * Distance + Rows);
        for (std::size_t r = 0; r < Rows; ++r)
            for (std::size_t c = 0; c < Columns; ++c)
                matrix[along_rows ? r * Distance + c : c * Distance + r] = w[r * Columns + c];
        rounded_matrix found(std::vector<float>(w.size(), 1.0f), Rows, Columns);
        const rounded_columns<current_config, layout> columns{found.elements.data(), found.scales.data(),
                                                              found.sums.data()};
        if (along_rows)
            columns.from_rows(matrix.data(), Distance);
        else
            columns.from_columns(matrix.data(), Distance);
        EXPECT_EQ(found.elements, expected.elements) << Rows << "x" << Columns << ", along rows: " << along_rows;
        EXPECT_EQ(found.sums, expected.sums) << Rows << "x" << Columns << ", along rows: " << along_rows;
        for (std::size_t c = 0; c < found.scales.size(); ++c)
            EXPECT_EQ(std::bit_cast<std::uint32_t>(found.scales[c]), std::bit_cast<std::uint32_t>(expected.scales[c]));
    }
}

TEST(QuantizedProduct, ColumnsInRegistersAreThoseOfElements) {
    expect_same_columns<1, 1, 1>(values<float>(1, 1));
    expect_same_columns<4, width, 40>(values<float>(4 * width, 3));
    expect_same_columns<37, 2 * width + 3, 67>(values<float>(37 * (2 * width + 3), 4));
    auto w = values<float>(21 * 35, 6);
    for (std::size_t r = 0; r < 21; ++r) {
        w[r * 35 + 2] = 0;
        w[r * 35 + 7] = static_cast<float>(r) + 0.5f;  // halves
        w[r * 35 + 20] *= 1e-38f;
        w[r * 35 + 21] *= 1e38f;
    }
    w[20 * 35 + 7] = 127;
    w[8 * 35 + 3] = std::numeric_limits<float>::infinity();
    w[9 * 35 + 34] = std::numeric_limits<float>::quiet_NaN();
    expect_same_columns<21, 35, 36>(w);
}

}  // namespace
