// SPDX-License-Identifier: BSL-1.0
// Products with a function of many instructions behind them.
#define ASHLAR_L2_BYTES 65536
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

template <class T>
inline constexpr double tolerance = sizeof(T) == 8 ? 1e-11 : 1e-5;

/// Every expression whose epilogue is costly, with plain and with packed weights, into memory that held NaN.
template <class T, std::size_t Rows, std::size_t Columns, std::size_t Depth>
void activate() {
    static const auto a = support::random_numbers(1).uniform<T, Rows, Depth>();
    static const auto b = support::random_numbers(2).uniform<T, Depth, Columns>(-0.3, 0.3);
    static const auto bias = support::random_numbers(3).uniform<T, Columns>();
    static const auto rest = support::random_numbers(4).uniform<T, Rows, Columns>();
    static packed<T, Depth, Columns> panels;
    pack(panels, b);
    static tensor<double, Rows, Columns> sums;
    for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < Columns; ++j) sums(i, j) = reference::product_at(a, b, i, j);
    static tensor<T, Rows, Columns> out;
    const auto check = [](const char* what, auto expected) {
        for (std::size_t i = 0; i < Rows; ++i)
            for (std::size_t j = 0; j < Columns; ++j)
                ASSERT_NEAR(out(i, j), expected(i, j), tolerance<T>)
                    << what << ", " << Rows << "x" << Columns << "x" << Depth << " at " << i << ", " << j;
        out = std::numeric_limits<T>::quiet_NaN() * rest;
    };
    const auto expected = [](std::size_t i, std::size_t j) { return reference::gelu(sums(i, j) + bias(j)); };
    out = std::numeric_limits<T>::quiet_NaN() * rest;
    out = gelu(matmul(a, b) + bias);
    check("plain", expected);
    out = gelu(matmul(a, panels) + bias);
    check("packed", expected);
    out = rest;
    out = tanh(matmul(a, panels)) * out;
    check("in place", [](std::size_t i, std::size_t j) { return std::tanh(sums(i, j)) * rest(i, j); });
}

}  // namespace

TEST(costly_epilogues, activations_of_products) {
    activate<float, 1, 64, 192>();
    activate<float, 4, 48, 191>();
    activate<float, 9, 96, 197>();
    activate<float, 33, 144, 385>();
    activate<float, 16, 67, 200>();
    activate<float, 12, 256, 390>();
    activate<double, 7, 40, 193>();
}

// Columns in panels and in blocks that end inside a register, although all of them fill registers: nothing is written
// beyond the result.
TEST(costly_epilogues, panels_and_blocks_of_any_width) {
    static const auto a = support::random_numbers(1).uniform<float, 40, 200>();
    static const auto b = support::random_numbers(2).uniform<float, 200, 80>(-0.3, 0.3);
    static packed<float, 200, 80, 20> panels;
    pack(panels, b);
    static tensor<float, 4, 200, 20> blocks;
    blocks = permute<1, 0, 2>(reshape<200, 4, 20>(b));
    static tensor<float, 41, 80> out;
    const auto check = [&](const char* what) {
        for (std::size_t i = 0; i < 40; ++i)
            for (std::size_t j = 0; j < 80; ++j)
                ASSERT_NEAR(out(i, j), reference::gelu(reference::product_at(a, b, i, j)), 1e-5)
                    << what << " at " << i << ", " << j;
        for (std::size_t j = 0; j < 80; ++j) ASSERT_EQ(out(40, j), 7.0f) << what << ", behind the result, " << j;
    };
    const auto fill = [] {
        for (float& element : out) element = 7;
    };
    fill();
    slice<0, 0, 40>(out) = gelu(matmul(a, panels));
    check("panels");
    fill();
    slice<0, 0, 40>(out) = gelu(matmul(a, reshape<200, 80>(permute<1, 0, 2>(blocks))));
    check("blocks");
}

// The second product reads what waited in the first one's result, tile by tile.
TEST(costly_epilogues, feed_forward) {
    static const auto x = support::random_numbers(5).uniform<float, 50, 192>();
    static const auto up = support::random_numbers(6).uniform<float, 192, 240>(-0.3, 0.3);
    static const auto down = support::random_numbers(7).uniform<float, 240, 192>(-0.3, 0.3);
    static packed<float, 192, 240> packed_up;
    static packed<float, 240, 192> packed_down;
    pack(packed_up, up);
    pack(packed_down, down);
    static tensor<double, 50, 240> hidden;
    for (std::size_t i = 0; i < 50; ++i)
        for (std::size_t j = 0; j < 240; ++j) hidden(i, j) = reference::gelu(reference::product_at(x, up, i, j));
    const auto check = [&](const auto& y) {
        for (std::size_t i = 0; i < 50; ++i)
            for (std::size_t j = 0; j < 192; ++j)
                ASSERT_NEAR(y(i, j), reference::product_at(hidden, down, i, j) + x(i, j), 4e-5);
    };
    check(eval(matmul(gelu(matmul(x, up)), down) + x));
    check(eval(matmul(gelu(matmul(x, packed_up)), packed_down) + x));
}

TEST(costly_epilogues, the_destination_is_an_operand) {
    static auto x = support::random_numbers(8).uniform<float, 24, 192>();
    static const auto w = support::random_numbers(9).uniform<float, 192, 192>(-0.3, 0.3);
    static const tensor<float, 24, 192> before = x;
    x = silu(matmul(x, w));
    for (std::size_t i = 0; i < 24; ++i)
        for (std::size_t j = 0; j < 192; ++j)
            ASSERT_NEAR(x(i, j), reference::silu(reference::product_at(before, w, i, j)), 1e-5);
}
