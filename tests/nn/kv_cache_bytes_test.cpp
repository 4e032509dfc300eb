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

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

namespace {

using namespace ashlar;
using reference::array;
using support::row_at, support::rows;
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

template <std::size_t Capacity, std::size_t KeyWidth, std::size_t ValueWidth, std::size_t Group>
struct sequence {
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

/// Attention of one row of each head [heads, width], as [heads, width].
array attended(const array& q, const array& k, const array& v, const reference::attention_options& options = {}) {
    array y = reference::attend({{q.extents[0], 1, q.extents[1]}, q.values}, k, v, options).values;
    y.extents = {y.extents[0], y.extents[2]};
    return y;
}
double cosine(const array& x, const array& y) {
    double xy = 0, xx = 0, yy = 0;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
        const double a = x.values[i], b = y.values[i];
        xy += a * b, xx += a * a, yy += b * b;
    }
    return xy / std::sqrt(xx * yy);
}

/// Decodes to the end, and compares some steps with loops over the rounded rows, and with what was not rounded.
template <std::size_t Capacity, std::size_t KeyWidth, std::size_t ValueWidth, std::size_t Group>
void expect_decoding() {
    static sequence<Capacity, KeyWidth, ValueWidth, Group> given;
    static nn::kv_cache<std::int8_t, Capacity, 2, KeyWidth, ValueWidth> cache;
    spoil(cache);
    const array all_k = reference::of(given.k), all_v = reference::of(given.v);
    constexpr std::size_t lanes = lane_width<float>;
    for (std::size_t n = 1; n <= Capacity; ++n) {
        cache.append(row_at(given.k, n - 1), row_at(given.v, n - 1));
        if (n != 1 && n + 1 != lanes && n != lanes && n != lanes + 1 && n != 61 && n != 257 && n != Capacity) continue;
        const auto q = row_at(given.q, n - 1);
        const array k = rows(all_k, 0, n), v = rows(all_v, 0, n), y = reference::of(eval(cache.attend(q)));
        reference::expect_near(y, attended(reference::of(q), rounded_rows(k), rounded_rows(v)), 3e-6);
        EXPECT_GE(cosine(y, attended(reference::of(q), k, v)), 0.999) << n;
    }
    EXPECT_TRUE(cache.full());
    reference::expect_near(eval(cache.keys()), rounded_rows(all_k), 1e-7);
    reference::expect_near(eval(cache.values()), rounded_rows(all_v), 1e-7);
}

TEST(kv_cache_bytes, decodes_row_by_row) { expect_decoding<67, 16, 7, 3>(); }
TEST(kv_cache_bytes, decodes_over_blocks_of_keys) {
    static_assert(nn::kv_cache<std::int8_t, 640, 2, 20, 24>::key_blocks > 1);
    expect_decoding<640, 20, 24, 4>();
}

TEST(kv_cache_bytes, several_rows_at_once) {
    static sequence<70, 16, 12, 2> s;
    static nn::kv_cache<std::int8_t, 70, 2, 16, 12> cache;
    const array k = rounded_rows(reference::of(s.k)), v = rounded_rows(reference::of(s.v));
    const auto expect_queries = [&] {  // of the last 17 rows
        const std::size_t n = cache.length();
        tensor<float, 4, 17, 16> q;
        for (std::size_t h = 0; h < 4; ++h)
            for (std::size_t r = 0; r < 17; ++r)
                for (std::size_t i = 0; i < 16; ++i) q(h, r, i) = s.q(h, n - 17 + r, i);
        reference::attention_options options;
        options.keep = [n](const reference::index&, std::size_t query, std::size_t key) {
            return key + 17 <= n + query;
        };
        reference::expect_near(eval(cache.attend(q)),
                               reference::attend(reference::of(q), rows(k, 0, n), rows(v, 0, n), options).values, 4e-6);
    };
    spoil(cache);
    // Heads first, tensors; then as a projection has them, computed; then some of the rows.
    cache.prefill(slice<1, 0, 19>(s.k), slice<1, 0, 19>(s.v));
    expect_queries();
    const auto k2 = eval(slice<1, 19, 50>(s.k)), k3 = eval(slice<1, 39, 70>(s.k));
    const auto v2 = eval(slice<1, 19, 50>(s.v)), v3 = eval(slice<1, 39, 70>(s.v));
    const auto projected = [](const auto& x) {
        constexpr std::size_t width = std::remove_cvref_t<decltype(x)>::extents[2];
        return reshape<31, 2 * width>(permute<1, 0, 2>(x)) * 1.0f;
    };
    cache.prefill(projected(k2), projected(v2));
    expect_queries();
    const auto keys = projected(k3);
    const auto values = projected(v3);
    static workspace<decltype(cache)::prefill_workspace_bytes<decltype(keys), decltype(values)>> scratch;
    std::memset(&scratch, 0xff, sizeof scratch);
    cache.truncate(39);
    cache.prefill(keys, values, 28, scratch);
    ASSERT_EQ(cache.length(), 67u);
    expect_queries();
    cache.truncate(39);
    static_cast<void>(cache.try_prefill(keys, values));
    EXPECT_TRUE(cache.full() && !cache.try_append(row_at(s.k, 0), row_at(s.v, 0)));
    expect_queries();
    cache.refill(k2, v2);
    EXPECT_EQ(cache.length(), 31u);
    reference::expect_near(rows(reference::of(eval(cache.keys())), 0, 31), rows(k, 19, 50), 1e-7);
}

TEST(kv_cache_bytes, options_of_attention) {
    static sequence<40, 8, 8, 2> s;
    static nn::kv_cache<std::int8_t, 64, 2, 8> cache;
    spoil(cache);
    cache.prefill(s.k, s.v);
    const auto q = row_at(s.q, 39);
    const auto expected = [&](const reference::attention_options& options) {
        return attended(reference::of(q), rounded_rows(reference::of(s.k)), rounded_rows(reference::of(s.v)), options);
    };
    reference::attention_options options;
    options.scale = 0.3;
    options.softcap = 2;
    reference::expect_near(eval(cache.attend(q, scale(0.3f), softcap(2.0f))), expected(options), 2e-6);
    options = {};
    options.score_mod = [](double x, std::size_t, std::size_t key) { return x - 0.1 * static_cast<double>(key); };
    reference::expect_near(eval(cache.attend(q, score_mod([](auto x, auto, auto key) { return x - 0.1f * key; }))),
                           expected(options), 2e-6);
    // Grouped queries without a cache of its own: the heads of keys are repeated.
    array y = expected({});
    y.extents = {4, 1, 8};
    reference::expect_near(eval(attention(reshape<4, 1, 8>(q), cache.keys(), cache.values(), keys_below(40))), y, 2e-6);
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

TEST(kv_cache_bytes, constant_expressions) {
    constexpr auto y = [] {
        nn::kv_cache<std::int8_t, 8, 2, 2> cache;
        cache.append(tensor<float, 2, 2>{1, 2, 3, 4}, tensor<float, 2, 2>{5, 6, 7, 8});
        cache.append(tensor<float, 2, 2>{4, 3, 2, 1}, tensor<float, 2, 2>{8, 7, 6, 5});
        return tensor<float, 2, 2>(cache.attend(tensor<float, 2, 2>{1, 0, 0, 1}));
    }();
    reference::expect_near(y,
                           attended({{2, 2}, {1, 0, 0, 1}}, rounded_rows({{2, 2, 2}, {1, 2, 4, 3, 3, 4, 2, 1}}),
                                    rounded_rows({{2, 2, 2}, {5, 6, 8, 7, 7, 8, 6, 5}})),
                           1e-6);
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
