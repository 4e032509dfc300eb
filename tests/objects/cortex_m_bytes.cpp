// SPDX-License-Identifier: BSL-1.0
// Products with matrices in 8 bits on a Cortex-M: instructions, and results beside plain loops over the same integers.
// And attention to keys and values in 8 bits, beside attention of floats.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <ashlar/ashlar.hpp>

#include "cortex_m_clock.hpp"

namespace {

unsigned seed = 7;

float next_number() {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(seed >> 16) - 32768) / 32768.0f;
}

template <std::size_t Count>
struct rounded_line {
    std::int8_t bytes[Count];
    float scale;

    template <class Element>
    [[gnu::noinline]] void round(Element element) {
        float greatest = 0;
        for (std::size_t k = 0; k < Count; ++k) {
            const float size = element(k) < 0 ? -element(k) : element(k);
            greatest = size > greatest ? size : greatest;
        }
        scale = greatest / 127;
        for (std::size_t k = 0; k < Count; ++k) {
            constexpr float whole = 12582912;                            // numbers around it have no fraction
            const volatile float exact = element(k) * (127 / greatest);  // rounded, before anything is added
            bytes[k] = static_cast<std::int8_t>(exact + whole - whole);
        }
    }
};

template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
bool is_right(const char* name) {
    static ashlar::tensor<float, Rows, Depth> x;
    static ashlar::tensor<float, Depth, Columns> w;
    static ashlar::quantized<float, Depth, Columns> narrow;
    static ashlar::tensor<float, Rows, Columns> y;
    static rounded_line<Depth> row, column;
    for (float& e : x) e = next_number();
    for (float& e : w) e = next_number();
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
    std::printf("%s: %lu instructions, %lu of %lu wrong\n", name, count, static_cast<unsigned long>(wrong),
                static_cast<unsigned long>(y.size()));
    return wrong == 0;
}

// Rounding keys and values, then attention to them. Rounding takes away half a step of three operands of magnitude 1.
template <std::size_t Length, std::size_t Head>
bool is_near(const char* name) {
    using rows = ashlar::tensor<float, Length, Head>;
    static rows q, k, v, y, of_floats;
    static ashlar::quantized<float, Head, Length> keys;
    static ashlar::quantized<float, Length, Head> values;
    for (rows* each : {&q, &k, &v})
        for (float& e : *each) e = next_number();
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
    right &= is_near<64, 64>("attend64");
    return right ? 0 : 1;
}
