// SPDX-License-Identifier: BSL-1.0
// Products and convolutions with matrices in 8 bits and in 4 on a Cortex-M: instructions, and results beside plain
// loops over the same integers. And attention to keys and values in 8 bits, beside attention of floats.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "../support/byte_convolution.hpp"
#include "cortex_m_clock.hpp"

namespace {

using support::rounded_line;

unsigned seed = 7;

bool reported(const char* name, unsigned long count, std::size_t wrong) {
    std::printf("%s: %lu instructions, %lu wrong\n", name, count, static_cast<unsigned long>(wrong));
    return wrong == 0;
}

template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
bool is_right(const char* name) {
    static ashlar::tensor<float, Rows, Depth> x;
    static ashlar::tensor<float, Depth, Columns> w;
    static ashlar::quantized<float, Depth, Columns> narrow;
    static ashlar::tensor<float, Rows, Columns> y;
    static rounded_line<Depth> row, column;
    for (float& e : x) e = support::next_number(seed);
    for (float& e : w) e = support::next_number(seed);
    quantize(narrow, w);
    const unsigned long count = instructions_of([] { y = matmul(x, narrow); });
    std::size_t wrong = 0;
    for (std::size_t j = 0; j < Columns; ++j) {
        column.round([j](std::size_t k) { return w(k, j); });
        for (std::size_t i = 0; i < Rows; ++i) {
            row.round([i](std::size_t k) { return x(i, k); });
            std::int32_t sum = 0;
            for (std::size_t k = 0; k < Depth; ++k) sum += row.bytes[k] * column.bytes[k];
            wrong += y(i, j) != static_cast<float>(sum) * column.scale * row.scale;
        }
    }
    return reported(name, count, wrong);
}

// Scales of groups of 32: sums of floats, so nearly.
template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
bool is_right_in_four_bits(const char* name) {
    static ashlar::tensor<float, Rows, Depth> x;
    static ashlar::tensor<float, Depth, Columns> w;
    static ashlar::quantized<ashlar::int4, Depth, Columns> narrow;
    static ashlar::tensor<float, Rows, Columns> y;
    static rounded_line<32> group;
    for (float& e : x) e = support::next_number(seed);
    for (float& e : w) e = support::next_number(seed);
    quantize(narrow, w);
    const unsigned long count = instructions_of([] { y = matmul(x, narrow); });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < Rows; ++i)
        for (std::size_t j = 0; j < Columns; ++j) {
            double sum = 0, size = 0;
            for (std::size_t k = 0; k < Depth; ++k) {
                if (k % 32 == 0) group.round([i, k](std::size_t n) { return k + n < Depth ? x(i, k + n) : 0.0f; });
                const double term = double{narrow(k, j)} * group.bytes[k % 32] * double{group.scale};
                sum += term;
                size += term < 0 ? -term : term;
            }
            const double error = sum - double{y(i, j)};
            wrong += !((error < 0 ? -error : error) <= 1e-6 * size);
        }
    return reported(name, count, wrong);
}

template <ashlar::nn::conv2d_options Options, std::size_t Height, std::size_t Width>
bool is_right(const char* name) {
    unsigned long count = 0;
    const std::size_t wrong = support::wrong_of_byte_convolution<Options, Height, Width>(
        [&count](auto evaluate) { count = instructions_of(evaluate); });
    return reported(name, count, wrong);
}

template <bool ChannelsLast>
bool are_right(const char* pointwise, const char* square, const char* tall, const char* odd) {
    constexpr bool last = ChannelsLast;
    bool right = is_right<{.in = 64, .out = 64, .kernel = 1, .channels_last = last}, 25, 5>(pointwise);
    right &= is_right<{.in = 16, .out = 16, .kernel = 3, .padding = 1, .channels_last = last}, 16, 16>(square);
    right &= is_right<{.in = 1, .out = 64, .kernel = {10, 4}, .stride = 2, .padding = {5, 1}, .channels_last = last},
                      49, 10>(tall);
    right &= is_right<{.in = 3,
                       .out = 7,
                       .kernel = {3, 2},
                       .stride = {2, 1},
                       .padding = {1, 2},
                       .dilation = {1, 2},
                       .channels_last = last},
                      9, 7>(odd);
    return right;
}

// Rounding keys and values, then attention to them. Rounding takes away half a step of three operands of magnitude 1.
template <std::size_t Length, std::size_t Head>
bool is_near(const char* name) {
    using rows = ashlar::tensor<float, Length, Head>;
    static rows q, k, v, y, of_floats;
    static ashlar::quantized<float, Head, Length> keys;
    static ashlar::quantized<float, Length, Head> values;
    for (rows* each : {&q, &k, &v})
        for (float& e : *each) e = support::next_number(seed);
    const unsigned long plain = instructions_of([] { of_floats = attention(q, k, v); });
    const unsigned long rounding = instructions_of([] {
        quantize(keys, transpose(k));
        quantize(values, v);
    });
    const unsigned long count = instructions_of([] { y = attention(q, transpose(keys), values); });
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const float apart = y.data()[i] - of_floats.data()[i];
        wrong += !(apart < 0.02f && apart > -0.02f);
    }
    std::printf("%s: %lu instructions, %lu of %lu wrong\n", name, count, static_cast<unsigned long>(wrong),
                static_cast<unsigned long>(y.size()));
    std::printf("%s-rounding: %lu instructions\n%s-floats: %lu instructions\n", name, rounding, name, plain);
    return wrong == 0;
}

}  // namespace

int main() {
    start_clock();
    bool right = is_right<1, 64, 64>("row64");
    right &= is_right<1, 256, 256>("row256");
    right &= is_right<16, 64, 64>("rows16");
    right &= is_right<5, 37, 21>("odd");
    right &= is_right_in_four_bits<1, 64, 64>("int4row64");
    right &= is_right_in_four_bits<1, 256, 256>("int4row256");
    right &= is_right_in_four_bits<16, 64, 64>("int4rows16");
    right &= is_right_in_four_bits<5, 37, 21>("int4odd");
    right &= are_right<false>("conv1x1first", "conv3x3first", "conv10x4first", "oddconvfirst");
    right &= are_right<true>("conv1x1last", "conv3x3last", "conv10x4last", "oddconvlast");
    right &= is_near<64, 64>("attend64");
    return right ? 0 : 1;
}
