// SPDX-License-Identifier: BSL-1.0
// Decoding beyond the capacity of a cache where nothing is asserted: results that are NaN, and no memory beyond it.
#define ASHLAR_CHECKS 0

#include <array>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

using stack = nn::encoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}>;

const stack& layers() {
    static const stack m = [] {
        nn::init::generator random(7);
        return nn::init::make<stack>(random);
    }();
    return m;
}

template <class Element>
struct guarded_caches {
    std::array<nn::kv_cache<Element, 4, 2, 4>, 2> caches{};
    std::array<unsigned char, 256> behind{};
};

[[gnu::noinline]] std::size_t count_nan(const float* from, std::size_t count) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += std::isnan(from[i]);
    return found;
}

template <class Element, std::size_t Rows>
void decode_too_many() {
    static guarded_caches<Element> memory{};
    for (auto& cache : memory.caches) cache.clear();
    memory.behind.fill(0x5a);
    const auto x = generate<float, Rows, 8>([](auto i, auto j) { return static_cast<float>((3 * i + j) % 5); });
    tensor<float, Rows, 8> first = layers().decode(x, memory.caches), y;
    EXPECT_EQ(count_nan(first.data(), first.size()), 0u);
    for (std::size_t step = 1; step < 6; ++step) {
        y = layers().decode(x, memory.caches);
        const bool full = (step + 1) * Rows > 4;
        EXPECT_EQ(count_nan(y.data(), y.size()), full ? y.size() : 0u) << "step " << step;
    }
    for (const unsigned char byte : memory.behind) ASSERT_EQ(byte, 0x5a);
    for (auto& cache : memory.caches) cache.clear();
    y = layers().decode(x, memory.caches);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y.data()[i], first.data()[i]);
}

TEST(full_cache, one_row) { decode_too_many<float, 1>(); }
TEST(full_cache, several_rows) { decode_too_many<std::int8_t, 3>(); }

/// The table of positions in 16 bits is the table of floats, rounded.
TEST(full_cache, positions_in_16_bits) {
    static nn::learned_positions<{.positions = 4, .size = 8}, float, bf16> narrow{};
    static_assert(sizeof narrow == 4 * 8 * 2);
    tensor<float, 4, 8> x{}, y;
    narrow.weight = iota<float, 4, 8>();
    y = narrow(x);
    EXPECT_TRUE(all(y == iota<float, 4, 8>()));
}

}  // namespace
