// SPDX-License-Identifier: BSL-1.0
// Long caches with keys in blocks: appends and prefills that start, end and wrap anywhere in a block.
#include <array>

#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;
using support::rows, support::spoil;

namespace {

inline constexpr std::size_t capacity = 192;

template <class T, std::size_t KeyWidth, std::size_t ValueWidth>
struct sequence {
    tensor<T, 2, capacity, KeyWidth> k;
    tensor<T, 2, capacity, ValueWidth> v;
    tensor<T, 6, capacity, KeyWidth> q;  // three query heads for each of keys

    sequence() {
        support::random_numbers random(23);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }

    /// Rows [First, First + Count) as a projection has them.
    template <std::size_t First, std::size_t Count, class X>
    static auto rows_first(const X& x) {
        return eval(reshape<Count, 2 * X::extents[2]>(permute<1, 0, 2>(slice<1, First, First + Count>(x))));
    }
};

template <class Cache>
struct kv_cache_blocks : testing::Test {
    using cache_type = Cache;
    using T = typename Cache::value_type;
    sequence<T, Cache::key_width, Cache::value_width> given;
    static constexpr double tolerance = sizeof(T) == 8 ? 1e-12 : 2e-6;

    void expect_rows(const Cache& c, std::size_t count) const {
        ASSERT_EQ(c.length(), count);
        const auto k = eval(c.keys());
        const auto v = eval(c.values());
        const reference::array had_k = rows(reference::of(k), 0, count), had_v = rows(reference::of(v), 0, count);
        EXPECT_EQ(had_k.values, rows(reference::of(given.k), 0, count).values);
        EXPECT_EQ(had_v.values, rows(reference::of(given.v), 0, count).values);
    }
};

// Blocks of 64 floats or 32 doubles.
using caches = testing::Types<nn::kv_cache<float, capacity, 2, 5>, nn::kv_cache<float, capacity, 2, 16, 7>,
                              nn::kv_cache<double, capacity, 2, 6, 9>>;
TYPED_TEST_SUITE(kv_cache_blocks, caches);

static_assert(nn::kv_cache<float, capacity, 2, 5>::key_block == 64 &&
              nn::kv_cache<float, capacity, 2, 5>::key_blocks == 3);
static_assert(nn::kv_cache<double, capacity, 2, 5>::key_block == 32);
static_assert(nn::kv_cache<float, 400, 1, 8>::key_block == 80 && nn::kv_cache<float, 144, 1, 8>::key_block == 48);
// Where no block divides the capacity, and in short caches, the keys are one block of columns.
static_assert(nn::kv_cache<float, 500, 1, 8>::key_block == 500 && nn::kv_cache<float, 128, 1, 8>::key_block == 128);
// Blocks have no gaps.
static_assert(sizeof(nn::kv_cache<float, 1024, 4, 64>::key_columns) == sizeof(float) * 1024 * 4 * 64);

// Attention reads the blocks in place.
using cache_of_1024 = nn::kv_cache<float, 1024, 2, 64>;
using decoded = decltype(std::declval<const cache_of_1024&>().attend(std::declval<const tensor<float, 2, 64>&>()));
static_assert(workspace_bytes<decoded> < 1024 * sizeof(float) + 512);

}  // namespace

TYPED_TEST(kv_cache_blocks, decodes_row_by_row) {
    const auto& s = this->given;
    TypeParam cache{};
    spoil(cache);
    for (std::size_t t = 0; t < capacity; ++t) {
        cache.append(row(permute<1, 0, 2>(s.k), t), row(permute<1, 0, 2>(s.v), t));
        const auto q = eval(row(permute<1, 0, 2>(s.q), t));
        const reference::array q3{{6, 1, TypeParam::key_width}, reference::of(q).values};
        reference::array expected =
            reference::attend(q3, rows(reference::of(s.k), 0, t + 1), rows(reference::of(s.v), 0, t + 1)).values;
        expected.extents = {6, TypeParam::value_width};
        reference::expect_near(eval(cache.attend(q)), expected, this->tolerance);
    }
    this->expect_rows(cache, capacity);
}

TYPED_TEST(kv_cache_blocks, prefills_from_anywhere_in_a_block) {
    const auto& s = this->given;
    using made = std::remove_cvref_t<decltype(s)>;
    TypeParam cache{};
    spoil(cache);
    // Tensors, heads first: within a block, up to its end, over several of them.
    cache.prefill(slice<1, 0, 5>(s.k), slice<1, 0, 5>(s.v));
    cache.prefill(slice<1, 5, 64>(s.k), slice<1, 5, 64>(s.v));
    this->expect_rows(cache, 64);
    cache.prefill(slice<1, 64, 192>(s.k), slice<1, 64, 192>(s.v));
    this->expect_rows(cache, 192);

    // Expressions, as projections are, from the start and from the middle of a block.
    spoil(cache);
    cache.clear();
    using number = typename TypeParam::value_type;
    cache.prefill(made::template rows_first<0, 70>(s.k) * number(1), made::template rows_first<0, 70>(s.v) * number(1));
    this->expect_rows(cache, 70);
    cache.prefill(made::template rows_first<70, 122>(s.k) * number(1),
                  made::template rows_first<70, 122>(s.v) * number(1));
    this->expect_rows(cache, 192);
    // Some rows of an expression that is too long to fit as a whole.
    cache.truncate(130);
    cache.prefill(made::template rows_first<130, 62>(s.k) * number(1),
                  made::template rows_first<130, 62>(s.v) * number(1), 60);
    this->expect_rows(cache, 190);
    cache.truncate(150);
    cache.prefill(made::template rows_first<150, 42>(s.k) * number(1),
                  made::template rows_first<150, 42>(s.v) * number(1), 40);
    this->expect_rows(cache, 190);
}

TYPED_TEST(kv_cache_blocks, chunks_of_queries) {
    const auto& s = this->given;
    TypeParam cache{};
    spoil(cache);
    cache.prefill(slice<1, 0, 90>(s.k), slice<1, 0, 90>(s.v));
    cache.prefill(slice<1, 90, 131>(s.k), slice<1, 90, 131>(s.v));
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= query + 90; };
    const auto q = eval(slice<1, 90, 131>(s.q));
    const reference::array expected =
        reference::attend(reference::of(q), rows(reference::of(s.k), 0, 131), rows(reference::of(s.v), 0, 131), options)
            .values;
    reference::expect_near(eval(cache.attend(q)), expected, this->tolerance);
}

TEST(kv_cache_ring_of_blocks, wraps_inside_a_block) {
    nn::kv_cache<float, 192, 2, 5, 5, nn::cache_order::ring> cache{};
    spoil(cache);
    const auto token = [](std::size_t t, auto h, auto i) { return static_cast<float>(t * 10 + h * 5 + i); };
    const auto chunk = [&](std::size_t first, auto count) {
        return eval(generate<float, count(), 10>([&](auto t, auto c) { return token(first + t, c / 5, c % 5); }));
    };
    std::size_t next = 0;
    const auto append = [&](auto count) {
        const auto rows_now = chunk(next, count);
        cache.prefill(rows_now * 1.0f, rows_now * 1.0f);
        next += count;
        const auto k = eval(cache.keys()), v = eval(cache.values());
        for (std::size_t t = next < 192 ? 0 : next - 192; t < next; ++t)
            for (std::size_t h = 0; h < 2; ++h)
                for (std::size_t i = 0; i < 5; ++i) {
                    ASSERT_EQ(k(h, t % 192, i), token(t, h, i)) << next << ' ' << t;
                    ASSERT_EQ(v(h, t % 192, i), token(t, h, i)) << next << ' ' << t;
                }
    };
    append(std::integral_constant<std::size_t, 100>{});
    append(std::integral_constant<std::size_t, 77>{});
    append(std::integral_constant<std::size_t, 67>{});   // over the end
    append(std::integral_constant<std::size_t, 300>{});  // more than it holds
    append(std::integral_constant<std::size_t, 1>{});
}
