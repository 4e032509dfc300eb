// SPDX-License-Identifier: BSL-1.0
// Random appends, prefills, refills and truncations of caches of all kinds, against rows in a deque.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"

using namespace ashlar;

namespace {

/// Keys and values of a position: [heads, key width] and [heads, value width].
struct token {
    std::vector<float> key, value;
};

/// A cache and its expected content: the latest rows, and the number of all rows so far.
template <class Cache>
struct kv_cache_model : testing::Test {
    static constexpr std::size_t capacity = Cache::capacity, heads = Cache::heads, key_width = Cache::key_width,
                                 value_width = Cache::value_width;
    static constexpr bool is_ring = Cache::order == nn::cache_order::ring;

    static inline Cache cache;
    std::deque<token> held;
    std::size_t position = 0;
    std::mt19937 random{29};

    std::size_t upto(std::size_t most) { return random() % (most + 1); }

    /// Integers with one 127 in each head, so that all element types hold them exactly.
    std::vector<float> numbers(std::size_t width) {
        std::vector<float> row(heads * width);
        for (float& x : row) x = static_cast<float>(upto(254)) - 127;
        for (std::size_t h = 0; h < heads; ++h) row[h * width + upto(width - 1)] = random() % 2 == 0 ? 127.0f : -127.0f;
        return row;
    }
    std::vector<token> tokens(std::size_t count) {
        std::vector<token> rows(count);
        for (token& t : rows) t = {numbers(key_width), numbers(value_width)};
        return rows;
    }
    void add(const token& t) {
        held.push_back(t);
        if (held.size() > capacity) held.pop_front();
        ++position;
    }
    void forget() {
        held.clear();
        position = 0;
    }
    void keep(std::size_t rows) {
        while (position > rows) {
            held.pop_back();
            --position;
        }
    }
    /// Rows that may still be added.
    std::size_t room() const { return is_ring ? 3 * capacity : capacity - position; }

    /// [rows, heads * width] or [heads, rows, width].
    template <std::size_t Rows, std::size_t Width, bool HeadsFirst>
    static auto tensor_of(const std::vector<token>& given, std::vector<float> token::* part) {
        if constexpr (HeadsFirst)
            return generate<float, heads, Rows, Width>(
                [&](auto h, auto r, auto i) { return (given[r].*part)[h * Width + i]; });
        else
            return generate<float, Rows, heads * Width>([&](auto r, auto c) { return (given[r].*part)[c]; });
    }

    template <std::size_t Rows, bool HeadsFirst, bool Refill>
    void write() {
        const std::vector<token> given = tokens(Rows);
        const auto k = tensor_of<Rows, key_width, HeadsFirst>(given, &token::key);
        const auto v = tensor_of<Rows, value_width, HeadsFirst>(given, &token::value);
        const auto computed_k = k + 0.0f;
        const auto computed_v = v * 1.0f;
        std::size_t count;
        if constexpr (Refill) {
            std::size_t kept = 0;
            if (position <= capacity && random() % 2 == 0) kept = std::min(upto(position), capacity - Rows);
            count = upto(Rows);
            if (kept == 0)
                forget();
            else
                keep(kept);
            static workspace<Cache::template refill_workspace_bytes<decltype(computed_k), decltype(computed_v)>> own;
            if (random() % 2 == 0)
                cache.refill(k, v, count, kept);
            else
                cache.refill(computed_k, computed_v, count, own, kept);
        } else {
            count = random() % 4 == 0 ? Rows : upto(Rows);
            count = std::min(count, room());
            static workspace<Cache::template prefill_workspace_bytes<decltype(computed_k), decltype(computed_v)>> own;
            if (random() % 2 == 0)
                cache.prefill(k, v, count);
            else
                cache.prefill(computed_k, computed_v, count, own);
        }
        for (std::size_t r = 0; r < count; ++r) add(given[r]);
    }
    void append() {
        const token t = tokens(1)[0];
        const auto k = tensor_of<1, key_width, false>({t}, &token::key);
        const auto v = tensor_of<1, value_width, false>({t}, &token::value);
        if (room() == 0) {
            ASSERT_FALSE(cache.try_append(k, v));
            return;
        }
        if (random() % 2 == 0)
            cache.append(k, v);
        else
            cache.append(k + 0.0f, v + 0.0f);
        add(t);
    }
    void truncate() {
        if (position > capacity) return;
        const std::size_t rows = upto(position);
        cache.truncate(rows);
        keep(rows);
    }

    void expect_rows() const {
        ASSERT_EQ(cache.length(), held.size());
        ASSERT_EQ(cache.position(), position);
        for (std::size_t r = 0; r < held.size(); ++r) {
            const std::size_t slot = (position - held.size() + r) % capacity;
            for (std::size_t h = 0; h < heads; ++h) {
                double key_scale = 1, value_scale = 1;
                if constexpr (Cache::scales_type::are_needed) {
                    key_scale = static_cast<double>(cache.scales.of_keys(h, slot));
                    value_scale = static_cast<double>(cache.scales.of_values(h, slot));
                }
                for (std::size_t i = 0; i < key_width; ++i)
                    ASSERT_EQ(key_scale * static_cast<double>(cache.key_columns(h, slot / Cache::key_block, i,
                                                                                slot % Cache::key_block)),
                              static_cast<double>(held[r].key[h * key_width + i]))
                        << "row " << r << " of " << held.size() << ", position " << position;
                for (std::size_t i = 0; i < value_width; ++i)
                    ASSERT_EQ(value_scale * static_cast<double>(cache.value_rows(h, slot, i)),
                              static_cast<double>(held[r].value[h * value_width + i]))
                        << "row " << r << " of " << held.size() << ", position " << position;
            }
        }
    }

    /// Queries of the last Rows positions, three heads for each of the keys, over the last `window` of those held.
    template <std::size_t Rows>
    void expect_attention(std::size_t window) {
        const auto q = generate<float, 3 * heads, Rows, key_width>(
            [&](auto, auto, auto) { return (static_cast<float>(upto(200)) - 100) / 30000; });
        const tensor<float, 3 * heads, Rows, value_width> y =
            window == 0 ? eval(cache.attend(q))
                        : eval(attention(q, cache.keys(), cache.values(), cache.visible(Rows, window)));
        const double factor = 1 / std::sqrt(static_cast<double>(key_width));
        for (std::size_t h = 0; h < 3 * heads; ++h)
            for (std::size_t r = 0; r < Rows; ++r) {
                const std::size_t last = held.size() - Rows + r + 1, seen = window == 0 ? last : std::min(last, window);
                std::vector<double> sums(value_width + 1);
                for (std::size_t j = last - seen; j < last; ++j) {
                    double score = 0;
                    for (std::size_t i = 0; i < key_width; ++i)
                        score +=
                            static_cast<double>(q(h, r, i)) * static_cast<double>(held[j].key[h / 3 * key_width + i]);
                    const double weight = std::exp(score * factor);
                    for (std::size_t i = 0; i < value_width; ++i)
                        sums[i] += weight * static_cast<double>(held[j].value[h / 3 * value_width + i]);
                    sums[value_width] += weight;
                }
                for (std::size_t i = 0; i < value_width; ++i)
                    ASSERT_NEAR(static_cast<double>(y(h, r, i)), sums[i] / sums[value_width], 2e-3)
                        << "query " << r << " of " << Rows << ", window " << window << ", position " << position;
            }
    }
    template <std::size_t Rows>
    void look() {
        if (held.size() < Rows) return;
        // Of a full ring a query before the last lacks the positions that later ones have overwritten.
        expect_attention<Rows>(0);
        if constexpr (Rows > 1) expect_attention<Rows>(1 + upto(position <= capacity ? capacity : capacity - Rows));
    }

    void step() {
        constexpr std::size_t some = capacity / 3, most = is_ring ? capacity + capacity / 4 : capacity;
        switch (random() % 12) {
        case 0: return truncate();
        case 1: return write<some, true, true>();
        case 2: return write<some, false, true>();
        case 3: return write<most, false, false>();
        case 4:
        case 5: return write<some, false, false>();
        case 6:
        case 7: return write<some, true, false>();
        case 8: return write<2, true, false>();
        default: return append();
        }
    }
};

using nn::cache_order;
using caches =
    testing::Types<nn::kv_cache<float, 13, 2, 4, 3, cache_order::ring>,
                   nn::kv_cache<float, 192, 1, 5, 5, cache_order::ring>,
                   nn::kv_cache<bf16, 24, 2, 6, 6, cache_order::ring>, nn::kv_cache<f16, 17, 1, 8>,
                   nn::kv_cache<std::int8_t, 12, 2, 5, 7, cache_order::ring>, nn::kv_cache<std::int8_t, 640, 1, 4>>;
TYPED_TEST_SUITE(kv_cache_model, caches);

TYPED_TEST(kv_cache_model, holds_the_latest_rows) {
    for (std::size_t sequence = 0; sequence < 20; ++sequence) {
        support::spoil(this->cache);
        this->cache.clear();
        this->forget();
        for (std::size_t i = 0; i < 40; ++i) {
            ASSERT_NO_FATAL_FAILURE(this->step());
            ASSERT_NO_FATAL_FAILURE(this->expect_rows());
            if (i % 5 == 0) {
                ASSERT_NO_FATAL_FAILURE(this->template look<1>());
                ASSERT_NO_FATAL_FAILURE(this->template look<4>());
            }
        }
    }
}

/// Rows that count in part, after rows that a full cache must keep.
template <class Cache>
constexpr bool keeps_what_is_not_overwritten(std::size_t before, std::size_t count) {
    Cache c;
    const auto number = [](std::size_t position) { return static_cast<float>(position + 1); };
    for (std::size_t i = 0; i < before; ++i) c.append(full<float, 1>(number(i)), full<float, 1>(-number(i)));
    const auto k = generate<float, 3, 1>([&](auto r, auto) { return number(before + r); });
    c.prefill(k, eval(-k), count);
    for (std::size_t p = c.position() - c.length(); p < before + count; ++p)
        if (c.keys()(0, p % Cache::capacity, 0) != number(p) || c.values()(0, p % Cache::capacity, 0) != -number(p))
            return false;
    return c.position() == before + count;
}
using small_ring = nn::kv_cache<float, 4, 1, 1, 1, cache_order::ring>;
using small_cache = nn::kv_cache<float, 4, 1, 1>;
static_assert(keeps_what_is_not_overwritten<small_ring>(4, 1) && keeps_what_is_not_overwritten<small_ring>(4, 0));
static_assert(keeps_what_is_not_overwritten<small_cache>(4, 0) && keeps_what_is_not_overwritten<small_cache>(3, 1));

TEST(kv_cache_model, of_a_full_cache_none_is_overwritten_before_its_turn) {
    for (std::size_t before = 0; before < 10; ++before)
        for (std::size_t count = 0; count <= 3; ++count) {
            EXPECT_TRUE(keeps_what_is_not_overwritten<small_ring>(before, count)) << before << ' ' << count;
            if (before + count <= 4) {
                EXPECT_TRUE(keeps_what_is_not_overwritten<small_cache>(before, count)) << before << ' ' << count;
            }
        }
}

}  // namespace
