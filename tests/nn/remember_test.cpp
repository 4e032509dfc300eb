// SPDX-License-Identifier: BSL-1.0
// Keys and values of the first rows of a memory: those of all rows where they count, and nothing computed far behind.
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;

using layer_type = nn::decoder_layer<{.embed = 16, .heads = 2, .hidden = 24}>;
using cache_type = nn::kv_cache<float, 192, 2, 8>;
using memory_type = tensor<float, 192, 16>;
static_assert(cache_type::key_block == 64 && cache_type::key_blocks == 3);

const layer_type& layer() {
    static const layer_type m = [] {
        nn::init::generator random(7);
        return nn::init::make<layer_type>(random);
    }();
    return m;
}

/// Bits that no result has.
void paint(cache_type& cache) {
    std::memset(static_cast<void*>(&cache), 0xff, sizeof cache);
    cache.clear();
}

/// The first `count` rows of a memory, projected, and nothing behind their blocks.
void expect_rows(const cache_type& cache, const memory_type& memory, std::size_t count) {
    const tensor<float, 2, 192, 8> k = layer().multihead_attn.keys(memory), v = layer().multihead_attn.values(memory);
    const tensor<float, 2, 192, 8> keys = cache.keys();
    const auto values = cache.values();
    ASSERT_EQ(cache.length(), count);
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t i = 0; i < 192; ++i)
            for (std::size_t d = 0; d < 8; ++d) {
                if (i < count) {
                    ASSERT_NEAR(keys(h, i, d), k(h, i, d), 1e-6f) << h << ' ' << i << ' ' << d;
                    ASSERT_NEAR(values(h, i, d), v(h, i, d), 1e-6f) << h << ' ' << i << ' ' << d;
                } else if (i >= (count + 63) / 64 * 64 && i >= 64) {
                    ASSERT_TRUE(std::isnan(keys(h, i, d)) && std::isnan(values(h, i, d))) << h << ' ' << i << ' ' << d;
                }
            }
}

TEST(remember, computes_blocks_with_rows_that_count) {
    const auto memory = support::random_numbers(1).normal<float, 192, 16>();
    static cache_type cache;
    for (const std::size_t count : {0u, 1u, 63u, 64u, 65u, 128u, 191u, 192u}) {
        SCOPED_TRACE(count);
        paint(cache);
        layer().remember(memory, cache, count);
        expect_rows(cache, memory, count);
        paint(cache);
        static workspace<layer_type::remember_workspace_bytes<memory_type, cache_type>> scratch;
        layer().remember(memory, cache, count, scratch);
        expect_rows(cache, memory, count);
    }
}

// Rows that stand apart, and a memory of 16 bits.
TEST(remember, memories_of_other_types) {
    const auto wide = support::random_numbers(2).normal<float, 192, 19>();
    const memory_type memory = slice<1, 2, 18>(wide);
    static cache_type cache;
    paint(cache);
    layer().remember(slice<1, 2, 18>(wide), cache, 100);
    expect_rows(cache, memory, 100);
    const tensor<bf16, 192, 16> narrow = cast<bf16>(memory);
    paint(cache);
    layer().remember(narrow, cache, 100);
    expect_rows(cache, cast<float>(narrow), 100);
}

// A ring keeps the last rows of a memory that is longer.
TEST(remember, more_rows_than_a_ring_holds) {
    using ring_type = nn::kv_cache<float, 192, 2, 8, 8, nn::cache_order::ring>;
    const auto memory = support::random_numbers(4).normal<float, 384, 16>();
    const tensor<float, 2, 384, 8> k = layer().multihead_attn.keys(memory);
    static ring_type ring;
    static workspace<layer_type::remember_workspace_bytes<decltype(memory), ring_type>> scratch;
    layer().remember(memory, ring, 384, scratch);
    ASSERT_EQ(ring.length(), 192u);
    const tensor<float, 2, 192, 8> keys = ring.keys();
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t i = 0; i < 192; ++i)
            for (std::size_t d = 0; d < 8; ++d)
                ASSERT_NEAR(keys(h, i, d), k(h, 192 + i, d), 1e-6f) << h << ' ' << i << ' ' << d;
}

TEST(remember, scratch_is_that_of_a_block) {
    using k = decltype(layer().multihead_attn.keys(std::declval<const memory_type&>()));
    using v = decltype(layer().multihead_attn.values(std::declval<const memory_type&>()));
    static_assert(layer_type::remember_workspace_bytes<memory_type, cache_type> <=
                  cache_type::refill_workspace_bytes<k, v>);
}

}  // namespace
