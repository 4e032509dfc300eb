// SPDX-License-Identifier: BSL-1.0
// Products with a function of many instructions behind them.
#define ASHLAR_L2_BYTES 65536
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

/// Elements of `found` against f of those of `sums`.
[[gnu::noinline]] void expect_function(const char* what, const float* found, const reference::array& sums,
                                       double (*f)(double)) {
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_NEAR(found[i], f(sums.values[i]), 1e-5) << what << ", " << i;
}

/// Every expression whose epilogue is costly, with plain and with packed weights, into memory that held NaN.
template <std::size_t Rows, std::size_t Columns, std::size_t Depth>
void activate() {
    SCOPED_TRACE(testing::Message() << Rows << "x" << Columns << "x" << Depth);
    static const auto a = support::random_numbers(1).uniform<float, Rows, Depth>();
    static const auto b = support::random_numbers(2).uniform<float, Depth, Columns>(-0.3, 0.3);
    static const auto bias = support::random_numbers(3).uniform<float, Columns>();
    static packed<float, Depth, Columns> panels;
    pack(panels, b);
    const auto product = reference::matmul(reference::of(a), reference::of(b));
    const auto sums = reference::add(product, reference::of(bias));
    static tensor<float, Rows, Columns> out;
    std::memset(static_cast<void*>(out.data()), 0xff, sizeof out);
    out = gelu(matmul(a, b) + bias);
    expect_function("plain", out.data(), sums, reference::gelu);
    std::memset(static_cast<void*>(out.data()), 0xff, sizeof out);
    out = gelu(matmul(a, panels) + bias);
    expect_function("packed", out.data(), sums, reference::gelu);
    support::random_numbers(4).fill_uniform(out);
    const auto factors = reference::of(out);
    out = tanh(matmul(a, panels)) * out;
    expect_function("in place", out.data(),
                    reference::zip(product, factors, [](double x, double y) { return std::tanh(x) * y; }),
                    [](double x) { return x; });
}

}  // namespace

TEST(costly_epilogues, activations_of_products) {
    activate<1, 64, 192>();
    activate<33, 144, 385>();
    activate<16, 67, 200>();
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
    const auto product = reference::matmul(reference::of(a), reference::of(b));
    const auto expect = [&](const char* what) {
        expect_function(what, out.data(), product, reference::gelu);
        for (std::size_t j = 0; j < 80; ++j) ASSERT_EQ(out(40, j), 7.0f) << what << ", behind the result, " << j;
        for (float& element : out) element = 7;
    };
    for (float& element : out) element = 7;
    slice<0, 0, 40>(out) = gelu(matmul(a, panels));
    expect("panels");
    slice<0, 0, 40>(out) = gelu(matmul(a, reshape<200, 80>(permute<1, 0, 2>(blocks))));
    expect("blocks");
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
    const auto hidden = reference::map(reference::matmul(reference::of(x), reference::of(up)), reference::gelu);
    const auto sums = reference::add(reference::matmul(hidden, reference::of(down)), reference::of(x));
    const auto expect = [&](const tensor<float, 50, 192>& y) {
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], sums.values[i], 4e-5) << i;
    };
    expect(matmul(gelu(matmul(x, up)), down) + x);
    expect(matmul(gelu(matmul(x, packed_up)), packed_down) + x);
}

TEST(costly_epilogues, the_destination_is_an_operand) {
    static auto x = support::random_numbers(8).uniform<float, 24, 192>();
    static const auto w = support::random_numbers(9).uniform<float, 192, 192>(-0.3, 0.3);
    const auto product = reference::matmul(reference::of(x), reference::of(w));
    x = silu(matmul(x, w));
    expect_function("silu", x.data(), product, reference::silu);
}
