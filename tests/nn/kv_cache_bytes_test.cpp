// SPDX-License-Identifier: BSL-1.0
// Caches in 8 bits: each row of each head is rounded by its own scale when it is written, and attention over them is
// attention over the rounded rows.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace {

using namespace ashlar;
using reference::array;
using support::rows;
using support::spoil;

/// A quarter of the bytes, and two floats for each row of a head.
using long_cache = nn::kv_cache<std::int8_t, 1024, 4, 64>;
static_assert(sizeof(long_cache::key_columns) == 1024 * 4 * 64 && sizeof(long_cache::value_rows) == 1024 * 4 * 64);
static_assert(sizeof(long_cache) <= 1024 * 4 * (2 * 64 + 2 * sizeof(float)) + 64);
static_assert(std::is_trivially_copyable_v<long_cache> && std::is_same_v<long_cache::value_type, std::int8_t>);
using float_cache = nn::kv_cache<float, 64, 2, 8>;
static_assert(sizeof(float_cache) == sizeof(float_cache::key_columns) + sizeof(float_cache::value_rows) + 64,
              "nothing more of floats");

/// What a number becomes in a row of so great a magnitude.
double rounded(double x, double greatest) {
    const float inverse = 127.0f / static_cast<float>(greatest);
    return std::nearbyint(static_cast<float>(x) * inverse) * static_cast<double>(static_cast<float>(greatest) / 127.0f);
}
/// [heads, rows, width] with all rows rounded.
array rounded_rows(array a) {
    const std::size_t width = a.extents[2];
    for (std::size_t first = 0; first < a.values.size(); first += width) {
        double greatest = 0;
        for (std::size_t i = 0; i < width; ++i) greatest = std::fmax(greatest, std::abs(a.values[first + i]));
        for (std::size_t i = 0; i < width; ++i) a.values[first + i] = rounded(a.values[first + i], greatest);
    }
    return a;
}

/// Row t of [heads, rows, width].
template <class X>
auto row_at(const X& x, std::size_t t) {
    return eval(row(permute<1, 0, 2>(x), t));
}

template <std::size_t Capacity, std::size_t KeyWidth, std::size_t ValueWidth, std::size_t Group>
struct sequence {
    static constexpr std::size_t count = Capacity;
    tensor<float, 2, Capacity, KeyWidth> k;
    tensor<float, 2, Capacity, ValueWidth> v;
    tensor<float, 2 * Group, Capacity, KeyWidth> q;

    sequence() {
        support::random_numbers random(29);
        random.fill_normal(k);
        random.fill_normal(v);
        random.fill_normal(q);
    }
};

/// Decodes to the end, and compares some steps with loops over the rounded rows, and with what was not rounded.
template <std::size_t Capacity, std::size_t KeyWidth, std::size_t ValueWidth, std::size_t Group>
void expect_decoding() {
    using cache_type = nn::kv_cache<std::int8_t, Capacity, 2, KeyWidth, ValueWidth>;
    static sequence<Capacity, KeyWidth, ValueWidth, Group> given;
    static cache_type cache;
    spoil(cache);
    const array all_k = reference::of(given.k), all_v = reference::of(given.v);
    constexpr std::size_t lanes = lane_width<float>;
    for (std::size_t t = 0; t < Capacity; ++t) {
        cache.append(row_at(given.k, t), row_at(given.v, t));
        const std::size_t n = t + 1;
        if (n != 1 && n + 1 != lanes && n != lanes && n != lanes + 1 && n != 61 && n != 257 && n != Capacity) continue;
        const auto q = row_at(given.q, t);
        const array q3{{2 * Group, 1, KeyWidth}, reference::of(q).values};
        const array k = rows(all_k, 0, n), v = rows(all_v, 0, n);
        array expected = reference::attend(q3, rounded_rows(k), rounded_rows(v)).values;
        expected.extents = {2 * Group, ValueWidth};
        const auto y = eval(cache.attend(q));
        reference::expect_near(y, expected, 3e-6);
        const array exact = reference::attend(q3, k, v).values;
        double ab = 0, aa = 0, bb = 0;
        for (std::size_t i = 0; i < exact.values.size(); ++i) {
            const double a = exact.values[i], b = static_cast<double>(y.data()[i]);
            ab += a * b, aa += a * a, bb += b * b;
        }
        EXPECT_GE(ab / std::sqrt(aa * bb), 0.999) << n;
        // By the function itself, with a mask.
        array by_hand =
            reference::of(eval(attention(reshape<2, Group, KeyWidth>(q), cache.keys(), cache.values(), keys_below(n))));
        by_hand.extents = {2 * Group, ValueWidth};
        reference::expect_near(y, by_hand, 1e-6);
    }
    EXPECT_TRUE(cache.full());
    reference::expect_near(eval(cache.keys()), rounded_rows(all_k), 1e-7);
    reference::expect_near(eval(cache.values()), rounded_rows(all_v), 1e-7);
}

TEST(kv_cache_bytes, decodes_row_by_row) {
    expect_decoding<37, 8, 8, 1>();
    expect_decoding<67, 16, 7, 3>();
}
TEST(kv_cache_bytes, decodes_over_blocks_of_keys) {
    static_assert(nn::kv_cache<std::int8_t, 640, 2, 20, 24>::key_blocks > 1);
    expect_decoding<640, 20, 24, 4>();
}

TEST(kv_cache_bytes, several_rows_at_once) {
    static sequence<70, 16, 12, 2> s;
    static nn::kv_cache<std::int8_t, 70, 2, 16, 12> cache;
    const array k = rounded_rows(reference::of(s.k)), v = rounded_rows(reference::of(s.v));
    const auto expect_queries = [&]<std::size_t First, std::size_t Rows>(std::index_sequence<First, Rows>) {
        const auto q = eval(slice<1, First, First + Rows>(s.q));
        const array y = reference::of(eval(cache.attend(q)));
        for (std::size_t r = 0; r < Rows; ++r) {
            const array expected = reference::attend(rows(reference::of(q), r, r + 1), rows(k, 0, First + r + 1),
                                                     rows(v, 0, First + r + 1))
                                       .values;
            const array found = rows(y, r, r + 1);
            for (std::size_t i = 0; i < expected.values.size(); ++i)
                ASSERT_NEAR(found.values[i], expected.values[i], 4e-6) << First << ' ' << r;
        }
    };
    spoil(cache);
    // Heads first, tensors; then as a projection has them, computed; then some of the rows.
    cache.prefill(slice<1, 0, 19>(s.k), slice<1, 0, 19>(s.v));
    expect_queries(std::index_sequence<0, 19>{});
    const auto projected = [](const auto& x, auto count, auto width) {
        return reshape<count(), 2 * width()>(permute<1, 0, 2>(x)) * 1.0f;
    };
    using std::integral_constant;
    const auto k2 = eval(slice<1, 19, 50>(s.k));
    const auto k3 = eval(slice<1, 50, 70>(s.k));
    const auto v2 = eval(slice<1, 19, 50>(s.v));
    const auto v3 = eval(slice<1, 50, 70>(s.v));
    constexpr integral_constant<std::size_t, 31> n2{};
    constexpr integral_constant<std::size_t, 20> n3{};
    constexpr integral_constant<std::size_t, 16> of_k{};
    constexpr integral_constant<std::size_t, 12> of_v{};
    cache.prefill(projected(k2, n2, of_k), projected(v2, n2, of_v));
    expect_queries(std::index_sequence<19, 31>{});
    const auto keys = projected(k3, n3, of_k);
    const auto values = projected(v3, n3, of_v);
    static workspace<decltype(cache)::prefill_workspace_bytes<decltype(keys), decltype(values)>> scratch;
    std::memset(&scratch, 0xff, sizeof scratch);
    cache.prefill(keys, values, 17, scratch);
    ASSERT_EQ(cache.length(), 67u);
    expect_queries(std::index_sequence<50, 17>{});
    cache.truncate(50);
    static_cast<void>(cache.try_prefill(keys, values));
    EXPECT_TRUE(cache.full() && !cache.try_append(row_at(s.k, 0), row_at(s.v, 0)));
    expect_queries(std::index_sequence<53, 17>{});
    cache.refill(k2, v2);
    EXPECT_EQ(cache.length(), 31u);
    reference::expect_near(eval(slice<1, 0, 31>(cache.keys())), rows(k, 19, 50), 1e-7);
}

TEST(kv_cache_bytes, a_ring_forgets) {
    static sequence<61, 8, 8, 2> s;
    static nn::kv_cache<std::int8_t, 24, 2, 8, 8, nn::cache_order::ring> ring;
    const array k = rounded_rows(reference::of(s.k)), v = rounded_rows(reference::of(s.v));
    spoil(ring);
    ring.prefill(slice<1, 0, 30>(s.k), slice<1, 0, 30>(s.v));
    for (std::size_t t = 30; t < 61; ++t) {
        ring.append(row_at(s.k, t), row_at(s.v, t));
        const auto q = row_at(s.q, t);
        const array q3{{4, 1, 8}, reference::of(q).values};
        array expected = reference::attend(q3, rows(k, t - 23, t + 1), rows(v, t - 23, t + 1)).values;
        expected.extents = {4, 8};
        reference::expect_near(eval(ring.attend(q)), expected, 4e-6);
    }
}

TEST(kv_cache_bytes, options_of_attention) {
    static sequence<40, 8, 8, 2> s;
    static nn::kv_cache<std::int8_t, 64, 2, 8> bytes;
    static nn::kv_cache<float, 64, 2, 8> floats;
    spoil(bytes);
    spoil(floats);
    bytes.prefill(s.k, s.v);
    floats.prefill(eval(slice<1, 0, 40>(bytes.keys())), eval(slice<1, 0, 40>(bytes.values())));
    const auto q = row_at(s.q, 39);
    const auto same = [&](const auto&... options) {
        const tensor<float, 4, 8> y = bytes.attend(q, options...), expected = floats.attend(q, options...);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y.data()[i], expected.data()[i], 2e-6f) << i;
    };
    same(scale(0.3f), softcap(2.0f));
    same(score_mod([](auto x, auto, auto key) { return x - 0.1f * key; }));
    // Grouped queries without a cache of its own: the heads of keys are repeated.
    const auto one_by_one = [&](const auto& c) {
        return eval(attention(reshape<4, 1, 8>(q), c.keys(), c.values(), keys_below(40)));
    };
    const auto y = one_by_one(bytes), expected = one_by_one(floats);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y.data()[i], expected.data()[i], 2e-6f) << i;
    // A part of an attention, for others to be merged with.
    const auto part = [&](const auto& c) {
        return eval(finish(eval(attention_partial(reshape<2, 2, 8>(q), c.keys(), c.values(), keys_below(40)))));
    };
    const auto z = part(bytes), expected_part = part(floats);
    for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z.data()[i], expected_part.data()[i], 2e-6f) << i;
}

TEST(kv_cache_bytes, rows_that_have_no_scale) {
    constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    nn::kv_cache<std::int8_t, 20, 1, 5> cache;
    spoil(cache);
    const tensor<float, 1, 5> zeros{}, tiny{{1e-40f, -1e-38f, 0, 1e-37f, 0}}, one{{-2, 1, 0.5f, 0, 1.5f}};
    cache.append(zeros, tiny);
    cache.append(one, one);
    const auto k = eval(cache.keys()), v = eval(cache.values());
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(k(0, 0, i), 0.0f);
        EXPECT_EQ(v(0, 0, i), 0.0f);
        EXPECT_NEAR(k(0, 1, i), one(0, i), 2.0f / 254);
    }
    EXPECT_FLOAT_EQ(k(0, 1, 0), -2.0f) << "the greatest is 127 times the scale";
    for (const float bad : {nan, infinity, -infinity})
        for (std::size_t where = 0; where < 5; ++where) {
            tensor<float, 1, 5> row = one;
            row(0, where) = bad;
            cache.clear();
            cache.append(one, one);
            cache.append(one, row);
            const auto values = eval(cache.values());
            for (std::size_t i = 0; i < 5; ++i) {
                EXPECT_EQ(values(0, 0, i), v(0, 1, i));
                EXPECT_TRUE(std::isnan(values(0, 1, i))) << bad << ' ' << where;
            }
            EXPECT_TRUE(std::isnan(eval(cache.attend(one))(0, 0)));
            cache.truncate(1);
            EXPECT_FALSE(std::isnan(eval(cache.attend(one))(0, 0)));
        }
}

// Rows of NaN among others, which no mask keeps: also one that does not say where the loops may stop.
TEST(kv_cache_bytes, rows_that_a_mask_excludes) {
    static sequence<20, 8, 8, 3> s;
    static nn::kv_cache<std::int8_t, 24, 2, 8> bytes;
    static nn::kv_cache<float, 24, 2, 8> floats;
    spoil(bytes);
    spoil(floats);
    tensor<bool, 24> kept{};
    for (std::size_t t = 0; t < 20; ++t) {
        kept(t) = t % 7 != 3;
        auto k = row_at(s.k, t), v = row_at(s.v, t);
        if (!kept(t)) k = v = full<float, 2, 8>(std::numeric_limits<float>::quiet_NaN());
        bytes.append(k, v);
        floats.append(k, v);
    }
    const auto q = eval(reshape<2, 60, 8>(s.q));
    const auto compare = [&](const auto& mask) {
        const auto y = eval(attention(q, bytes.keys(), bytes.values(), mask));
        const auto expected = eval(attention(q, floats.keys(), floats.values(), mask));
        for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected.data()[i], 0.06f) << i;
    };
    compare(keep(kept));
    compare(keep(kept) && causal);
    compare(keep_if([](std::size_t, std::size_t key) { return key % 7 != 3 && key < 20; }));
}

TEST(kv_cache_bytes, constant_expressions) {
    constexpr auto y = [] {
        nn::kv_cache<std::int8_t, 8, 2, 2> cache;
        cache.append(tensor<float, 2, 2>{1, 2, 3, 4}, tensor<float, 2, 2>{5, 6, 7, 8});
        cache.append(tensor<float, 2, 2>{4, 3, 2, 1}, tensor<float, 2, 2>{8, 7, 6, 5});
        return tensor<float, 2, 2>(cache.attend(tensor<float, 2, 2>{1, 0, 0, 1}));
    }();
    static nn::kv_cache<std::int8_t, 8, 2, 2> cache;
    cache.append(tensor<float, 2, 2>{1, 2, 3, 4}, tensor<float, 2, 2>{5, 6, 7, 8});
    cache.append(tensor<float, 2, 2>{4, 3, 2, 1}, tensor<float, 2, 2>{8, 7, 6, 5});
    const tensor<float, 2, 2> expected = cache.attend(tensor<float, 2, 2>{1, 0, 0, 1});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y.data()[i], expected.data()[i], 1e-5f);
}

// The plan reads the integers in place, in both products. Scratch holds scores, weights and nothing else.
TEST(kv_cache_bytes, is_read_where_it_lies) {
    static long_cache cache;
    const tensor<float, 4, 64> q{};
    using attended = decltype(cache.attend(q));
    static_assert(workspace_bytes<attended> <= 1024 * sizeof(float) + 512);
    const std::string text(explain(cache.attend(q)).c_str());
    std::size_t found = 0;
    for (std::size_t at = text.find(" in 8 bits"); at != text.npos; at = text.find(" in 8 bits", at + 1)) ++found;
    EXPECT_EQ(found, 2u) << text;
    EXPECT_EQ(text.find("through a copy"), text.npos) << text;
    // Both products end where the mask does: the values of keys that are not there are not read.
    constexpr const auto& code = detail::planned<attended, current_config>::code;
    std::size_t products = 0;
    for (std::size_t s = 0; s < code.stage_count; ++s) {
        if (code.stages[s].kind != detail::stage_kind::product) continue;
        ++products;
        EXPECT_NE(code.stages[s].support, detail::no_node) << s;
        EXPECT_EQ(code.stages[s].facts.ranged, products == 2) << s;
        EXPECT_EQ(code.stages[s].facts.right_bytes, 1u) << s;
    }
    EXPECT_EQ(products, 2u);
}

}  // namespace
