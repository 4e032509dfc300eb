// SPDX-License-Identifier: BSL-1.0
// Attention over caches in 8 bits: its softmax multiplies weights by the scales of values. So it takes no more scratch
// than over floats and runs in blocks of keys as well.
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <ashlar/nn/kv_cache.hpp>

#include "support/key_blocks.hpp"

namespace {

using namespace support::key_blocks;

inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class Cache>
void spoil_rows(Cache& cache) {
    std::memset(static_cast<void*>(&cache), 0xff, sizeof cache);
    cache.clear();
}
/// The first `length` rows of a cache, and NaN behind them.
template <class Cache>
void fill(Cache& cache, std::size_t length) {
    spoil_rows(cache);
    support::random_numbers random(41);
    for (std::size_t t = 0; t < length; ++t)
        cache.append(random.normal<float, Cache::heads, Cache::key_width>(),
                     random.normal<float, Cache::heads, Cache::value_width>());
}

template <class Element, std::size_t Capacity>
using scratch_of_decoding = std::integral_constant<
    std::size_t, workspace_bytes<decltype(std::declval<const nn::kv_cache<Element, Capacity, 4, 64>&>().attend(
                     std::declval<const tensor<float, 16, 64>&>()))>>;
static_assert(scratch_of_decoding<std::int8_t, 1024>::value == scratch_of_decoding<float, 1024>::value);
template <std::size_t Capacity, std::size_t Queries>
inline constexpr std::size_t scratch_of_many =
    workspace_bytes<decltype(attention(std::declval<const tensor<float, 4, Queries, 64>&>(),
                                       std::declval<const nn::kv_cache<std::int8_t, Capacity, 4, 64>&>().keys(),
                                       std::declval<const nn::kv_cache<std::int8_t, Capacity, 4, 64>&>().values(),
                                       causal_at(std::ptrdiff_t{})))>;
static_assert(scratch_of_many<65'536, 64> == scratch_of_many<16'384, 64> && scratch_of_many<65'536, 64> < 512 * 1024,
              "whatever the number of keys");

nn::kv_cache<std::int8_t, 71, 2, 16, 24> cache;

// In blocks, by a machine with small caches.
TEST(kv_cache_bytes_blocks, a_tile_of_queries) {
    const auto q = numbers<2, 35, 16>(5);
    for (const std::size_t length : {1u, 16u, 70u, 71u}) {
        fill(cache, length);
        check<small>(attention(q, cache.keys(), cache.values(), keys_below(length)), 2e-6);
    }
}
/// Queries that share keys in blocks of their own.
TEST(kv_cache_bytes_blocks, groups_of_queries) {
    static nn::kv_cache<std::int8_t, 640, 2, 8, 5> longer;
    static_assert(decltype(longer)::key_blocks > 1);
    fill(longer, 611);
    support::check(attention(numbers<6, 2, 8>(6), longer.keys(), longer.values(), keys_below(611u), fast), 2e-4);
}
/// Rows that a mask excludes have the scale NaN, also among those that it keeps.
TEST(kv_cache_bytes_blocks, rows_that_a_mask_excludes) {
    spoil_rows(cache);
    support::random_numbers random(43);
    tensor<bool, 71> kept{};
    for (std::size_t t = 0; t < 71; ++t) {
        kept(t) = t % 7 != 3 && t > 20;
        auto k = random.normal<float, 2, 16>();
        auto v = random.normal<float, 2, 24>();
        if (!kept(t)) k(0, 0) = k(1, 0) = v(0, 0) = v(1, 0) = nan;
        cache.append(k, v);
    }
    const auto q = numbers<2, 35, 16>(5);
    const auto e = attention(q, cache.keys(), cache.values(), keep(kept));
    support::check(e);
    check<small>(e, 2e-6);
}
/// Of keys in floats the softmax has rows in lanes, few of them in parts of a register.
TEST(kv_cache_bytes_blocks, values_alone_in_8_bits) {
    fill(cache, 71);
    support::check(attention(numbers<2, 3, 16>(5), numbers<2, 71, 16>(7), cache.values(), causal_at<36>()));
    // More batch entries of values than of scores.
    support::check(attention(numbers<3, 16>(5), numbers<71, 16>(7), cache.values()));
}

/// A part of an attention, for others to be merged with, holds no copy of the values in floats.
TEST(kv_cache_bytes_blocks, parts) {
    fill(cache, 61);
    const auto q = numbers<6, 5, 16>(6);
    const auto part = attention_partial(q, cache.keys(), cache.values(), keys_below(61u));
    using whole = decltype(attention(q, cache.keys(), cache.values(), keys_below(61u)));
    static_assert(workspace_bytes<typename decltype(part)::expression_type> <= workspace_bytes<whole>);
    const auto expected = detail::constant_evaluate(attention(q, cache.keys(), cache.values(), keys_below(61u)));
    reference::expect_near(eval(finish(eval(part))), reference::of(expected), 2e-6);
}

TEST(kv_cache_bytes_blocks, explained) {
    const tensor<float, 2, 16> q{};
    const std::string text(explain(cache.attend(q)).c_str());
    EXPECT_NE(text.find("t2 = exp(t1 - max) * d"), text.npos) << text;
    EXPECT_EQ(text.find("map "), text.npos) << text;
}

}  // namespace
