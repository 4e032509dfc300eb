// SPDX-License-Identifier: BSL-1.0
// Attention to a cache: through all blocks of its keys, in chunks, with options, and of the smallest extents.
#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;
using reference::array;
using support::row_at, support::rows, support::spoil;

namespace {

template <class Cache>
struct sequence {
    using T = typename Cache::value_type;
    static constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-6;
    tensor<T, 2, Cache::capacity, Cache::key_width> k;
    tensor<T, 2, Cache::capacity, Cache::value_width> v;
    tensor<T, 6, Cache::capacity, Cache::key_width> q;  // three query heads for each of keys

    sequence() {
        support::random_numbers random(23);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }
};

// Blocks of 64 floats or 32 doubles.
using floats = nn::kv_cache<float, 192, 2, 16, 7>;
using doubles = nn::kv_cache<double, 192, 2, 6, 9>;

static_assert(nn::kv_cache<float, 192, 2, 5>::key_block == 64 && nn::kv_cache<float, 192, 2, 5>::key_blocks == 3);
static_assert(nn::kv_cache<double, 192, 2, 5>::key_block == 32);
static_assert(nn::kv_cache<float, 400, 1, 8>::key_block == 80 && nn::kv_cache<float, 144, 1, 8>::key_block == 48);
// Where no block divides the 192, and in short caches, the keys are one block of columns.
static_assert(nn::kv_cache<float, 500, 1, 8>::key_block == 500 && nn::kv_cache<float, 128, 1, 8>::key_block == 128);
// Blocks have no gaps.
static_assert(sizeof(nn::kv_cache<float, 1024, 4, 64>::key_columns) == sizeof(float) * 1024 * 4 * 64);

// Attention reads the blocks in place.
using cache_of_1024 = nn::kv_cache<float, 1024, 2, 64>;
using decoded = decltype(std::declval<const cache_of_1024&>().attend(std::declval<const tensor<float, 2, 64>&>()));
static_assert(workspace_bytes<decoded> < 1024 * sizeof(float) + 512);

template <class Cache>
void decode_row_by_row() {
    const sequence<Cache> s;
    Cache cache{};
    spoil(cache);
    const array k = reference::of(s.k), v = reference::of(s.v);
    for (std::size_t t = 0; t < Cache::capacity; ++t) {
        cache.append(row(permute<1, 0, 2>(s.k), t), row(permute<1, 0, 2>(s.v), t));
        const auto q = row_at(s.q, t);
        array expected =
            reference::attend({{6, 1, Cache::key_width}, reference::of(q).values}, rows(k, 0, t + 1), rows(v, 0, t + 1))
                .values;
        expected.extents = {6, Cache::value_width};
        reference::expect_near(eval(cache.attend(q)), expected, s.tolerance);
    }
    EXPECT_EQ(reference::of(eval(cache.keys())).values, k.values);
    EXPECT_EQ(reference::of(eval(cache.values())).values, v.values);
}

}  // namespace

TEST(kv_cache_attend, through_blocks_of_keys) {
    decode_row_by_row<floats>();
    decode_row_by_row<doubles>();
}

// Prefills that start and end within a block. Those that wrap, and random ones: kv_cache_model_test.
TEST(kv_cache_attend, chunks_of_queries) {
    const sequence<floats> s;
    floats cache{};
    spoil(cache);
    cache.prefill(slice<1, 0, 90>(s.k), slice<1, 0, 90>(s.v));
    const auto k = eval(slice<1, 90, 131>(s.k));
    const auto v = eval(slice<1, 90, 131>(s.v));
    cache.prefill(reshape<41, 32>(permute<1, 0, 2>(k)) * 1.0f, reshape<41, 14>(permute<1, 0, 2>(v)) * 1.0f);
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= query + 90; };
    const auto q = eval(slice<1, 90, 131>(s.q));
    const array had_k = rows(reference::of(s.k), 0, 131), had_v = rows(reference::of(s.v), 0, 131);
    reference::expect_near(eval(cache.attend(q)), reference::attend(reference::of(q), had_k, had_v, options).values,
                           s.tolerance);
    EXPECT_EQ(rows(reference::of(eval(cache.keys())), 0, 131).values, had_k.values);
    EXPECT_EQ(rows(reference::of(eval(cache.values())), 0, 131).values, had_v.values);
}

// Options that tell heads apart, for one row and for several; the other ones too.
TEST(kv_cache_attend, attends_with_options) {
    const sequence<nn::kv_cache<float, 37, 2, 5, 3>> s;
    nn::kv_cache<float, 37, 2, 5, 3> cache{};
    spoil(cache);
    cache.prefill(slice<1, 0, 30>(s.k), slice<1, 0, 30>(s.v));
    const auto slopes = support::random_numbers(2).uniform<float, 6, 1, 1>();
    const auto ramp =
        generate<float, 6, 1, 37>([&](auto h, auto, auto j) { return slopes(h, 0, 0) * static_cast<float>(j); });
    reference::attention_options options;
    options.scale = 0.5;
    options.softcap = 2;
    options.bias = reference::of(ramp);
    options.bias.extents = {6, 1, 37};
    const tensor<float, 6, 1, 5> q = slice<1, 29, 30>(s.q);
    const auto expected = [&] {
        return reference::attend(reference::of(q), rows(reference::of(s.k), 0, 30), rows(reference::of(s.v), 0, 30),
                                 options)
            .values;
    };
    reference::expect_near(eval(cache.attend(q, scale(0.5f), softcap(2), bias(ramp))), expected());
    options.bias = {};
    options.softcap = 0;
    options.score_mod = [](double score, std::size_t query, std::size_t key) {
        return score + static_cast<double>(query) - 0.25 * static_cast<double>(key);
    };
    const auto nearer = [](auto score, auto query, auto key) { return score + query - key * decltype(key)(0.25f); };
    reference::expect_near(eval(cache.attend(q, scale(0.5f), score_mod(nearer))), expected());
}

TEST(kv_cache_attend, smallest_extents) {
    nn::kv_cache<double, 1, 1, 1> cache{};
    cache.append(tensor<double, 1>{2}, tensor<double, 1>{3});
    EXPECT_TRUE(cache.full());
    const tensor<double, 4, 1> y = cache.attend(full<double, 4, 1>(1));
    EXPECT_EQ(y(3, 0), 3);
    nn::kv_cache<float, 1, 1, 2, 2, nn::cache_order::ring> last{};
    for (int i = 0; i < 3; ++i) last.append(full<float, 2>(1), full<float, 2>(static_cast<float>(i)));
    const tensor<float, 1, 2> z = last.attend(full<float, 1, 2>(1));
    EXPECT_EQ(z(0, 1), 2);
}
