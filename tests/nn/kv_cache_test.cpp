// SPDX-License-Identifier: BSL-1.0
// The cache of keys and values: layouts, prefills, overflow, and memory behind the length. Decoding: kv_cache_model.
#include <array>
#include <cstddef>
#include <new>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

inline constexpr axis<"kv", 2> kv;
inline constexpr axis<"past", 37> past;
inline constexpr axis<"head", 5> head;

using cache_type = nn::kv_cache<float, 37, 2, 5, 3>;

static_assert(std::is_same_v<cache_type, nn::kv_cache<float, 37u, 2ul, 5, 3>>);
static_assert(std::is_trivially_copyable_v<cache_type> && std::is_nothrow_default_constructible_v<cache_type>);
static_assert(shape_of<decltype(std::declval<cache_type&>().keys())>::extents == std::array<std::size_t, 3>{2, 37, 5});
static_assert(shape_of<decltype(std::declval<cache_type&>().values())>::extents ==
              std::array<std::size_t, 3>{2, 37, 3});
// Columns at a distance that is a power of two do not meet in the same lines of a cache.
static_assert(nn::kv_cache<float, 128, 1, 8>::key_stride == 128 + 16 && nn::kv_cache<double, 8, 1, 8>::key_stride == 8);

using support::rows, support::spoil;

struct sequence {
    tensor<float, 2, 37, 5> k;
    tensor<float, 2, 37, 3> v;
    tensor<float, 6, 37, 5> q;  // three query heads for each of keys
    auto key(std::size_t t) const { return row(permute<1, 0, 2>(k), t); }
    auto value(std::size_t t) const { return row(permute<1, 0, 2>(v), t); }

    sequence() {
        support::random_numbers random(11);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }
};

}  // namespace

// Static caches are zeros before the program begins; tests/objects/check_static_objects.sh looks at the object file.
constinit cache_type static_cache;
constinit std::array<nn::kv_cache<float, 4096, 8, 128>, 4> large_caches;

TEST(kv_cache, is_empty_where_it_is_not_initialised) {
    EXPECT_EQ(static_cache.length(), 0u);
    EXPECT_EQ(large_caches[3].length(), 0u);
    EXPECT_EQ(static_cache.values()(1, 36, 2), 0.0f);
    // Making one writes its length, and nothing to its rows.
    alignas(cache_type) static std::byte memory[sizeof(cache_type)];
    for (std::byte& b : memory) b = std::byte{0x5a};
    std::byte* place = memory;
    asm volatile("" : "+r"(place)::"memory");
    const auto* const made = new (place) cache_type;
    EXPECT_EQ(made->length(), 0u);
    std::size_t written = 0;
    asm volatile("" ::: "memory");
    for (const std::byte b : memory) written += b != std::byte{0x5a};
    EXPECT_LE(written, sizeof(std::size_t));
}

consteval float decoded_at_compile_time() {
    nn::kv_cache<float, 4, 1, 2> cache;
    cache.append(tensor<float, 1, 2>{{1, 0}}, tensor<float, 1, 2>{{3, 4}});
    cache.append(tensor<float, 2>{1, 0}, tensor<float, 2>{5, 6});
    if (!cache.try_append(tensor<float, 2>{1, 0}, tensor<float, 2>{50, 60})) return -1;
    cache.truncate(2);
    const auto copy = cache;
    cache.clear();
    const tensor<float, 1, 2> y = copy.attend(tensor<float, 1, 2>{{3, 4}});
    return 10 * y(0, 0) + y(0, 1);
}
static_assert(decoded_at_compile_time() == 45);

TEST(kv_cache, prefill_takes_heads_first_and_rows_first) {
    const sequence s;
    cache_type heads_first{}, rows_first{};
    spoil(heads_first);
    spoil(rows_first);
    heads_first.prefill(slice<1, 0, 20>(s.k), slice<1, 0, 20>(s.v));
    const tensor<float, 20, 10> k = reshape<20, 10>(permute<1, 0, 2>(slice<1, 0, 20>(s.k)));
    const tensor<float, 20, 6> v = reshape<20, 6>(permute<1, 0, 2>(slice<1, 0, 20>(s.v)));
    // An expression, as a projection would be.
    rows_first.prefill(k * 1.0f, v + 0.0f);
    for (const cache_type* c : {&heads_first, &rows_first}) {
        EXPECT_EQ(c->length(), 20u);
        reference::expect_near(slice<1, 0, 20>(c->keys()), rows(reference::of(s.k), 0, 20), 0);
        reference::expect_near(slice<1, 0, 20>(c->values()), rows(reference::of(s.v), 0, 20), 0);
    }
    // The queries of a chunk see their past and the chunk up to themselves.
    heads_first.prefill(slice<1, 20, 33>(s.k), slice<1, 20, 33>(s.v));
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= query + 20; };
    const tensor<float, 6, 13, 5> q = slice<1, 20, 33>(s.q);
    const reference::array expected =
        reference::attend(reference::of(q), rows(reference::of(s.k), 0, 33), rows(reference::of(s.v), 0, 33), options)
            .values;
    reference::expect_near(eval(heads_first.attend(q)), expected);
    reference::expect_near(eval(attention(q, heads_first.keys(), heads_first.values(), heads_first.visible(13))),
                           expected);
}

// Values: kv_cache_model_test.
TEST(kv_cache, refuses_what_does_not_fit) {
    const sequence s;
    cache_type cache{};
    const tensor<float, 2, 30, 5> k = slice<1, 0, 30>(s.k);
    const tensor<float, 2, 30, 3> v = slice<1, 0, 30>(s.v);
    cache.prefill(k, v, 12);
    // 30 more rows would not fit, the 25 requested ones do.
    EXPECT_FALSE(cache.try_prefill(k, v));
    EXPECT_FALSE(cache.try_prefill(k, v, 31));
    EXPECT_FALSE(cache.full());
    EXPECT_TRUE(cache.try_prefill(k, v, 25));
    EXPECT_TRUE(cache.full());
    EXPECT_FALSE(cache.try_prefill(k, v, 1));
    EXPECT_TRUE(cache.try_prefill(k, v, 0));
    EXPECT_FALSE(cache.try_append(s.key(0), s.value(0)));
    EXPECT_EQ(cache.length(), 37u);
    cache.clear();
    EXPECT_EQ(cache.room(), 37u);
}

TEST(kv_cache, named_axes) {
    nn::kv_cache<float, past, kv, head> cache{};
    tensor<float, kv, head> k = full<float, kv, head>(0.5f), v = iota<float, kv, head>();
    cache.append(k, v);
    const tensor<float, kv, 1, head> q = full<float, kv, 1, head>(1);
    const tensor<float, kv, 1, head> y = attention(q, cache.keys(), cache.values(), keys_below(cache.length()));
    EXPECT_EQ(y(1, 0, 4), 9.0f);
    const tensor<float, kv, head> z = cache.attend(reshape<kv, head>(q));
    EXPECT_EQ(z(0, 3), 3.0f);
}

TEST(kv_cache, appends_what_it_holds) {
    cache_type cache{};
    const sequence s;
    cache.append(s.key(3), s.value(3));
    cache.append(row(permute<1, 0, 2>(cache.keys()), 0) * 2.0f, row(permute<1, 0, 2>(cache.values()), 0));
    EXPECT_EQ(cache.keys()(1, 1, 4), 2 * s.k(1, 3, 4));
    EXPECT_EQ(cache.values()(1, 1, 2), s.v(1, 3, 2));
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(kv_cache_death, overflow_is_asserted) {
    nn::kv_cache<float, 2, 1, 2> cache{};
    const tensor<float, 2> x{};
    const tensor<float, 1, 2, 2> two{};
    cache.append(x, x);
    EXPECT_DEATH(cache.prefill(two, two), "beyond the capacity");
    EXPECT_DEATH(cache.truncate(2), "go back");
    EXPECT_DEATH(static_cast<void>(cache.visible(2)), "append the keys");
    cache.append(x, x);
    EXPECT_DEATH(cache.append(x, x), "full cache");
}
#endif
