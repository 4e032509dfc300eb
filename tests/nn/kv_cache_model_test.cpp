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

/// The expected content of a cache: the latest rows, and the number of all rows so far. Compiled once for all caches.
struct model : testing::Test {
    const std::size_t capacity, heads, key_width, value_width;
    const bool is_ring;
    std::deque<token> held;
    std::size_t position = 0;
    std::mt19937 random{29};

    model(std::size_t rows, std::size_t of_heads, std::size_t of_keys, std::size_t of_values, bool ring)
        : capacity(rows), heads(of_heads), key_width(of_keys), value_width(of_values), is_ring(ring) {}

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
    void add(const std::vector<token>& rows, std::size_t count) {
        held.insert(held.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
        while (held.size() > capacity) held.pop_front();
        position += count;
    }
    void keep(std::size_t rows) {
        held.resize(rows == 0 ? 0 : held.size() + rows - position);
        position = rows;
    }
    /// Rows that may still be added.
    std::size_t room() const { return is_ring ? 3 * capacity : capacity - position; }

    void expect_element(double actual, std::size_t row, std::vector<float> token::* part, std::size_t i) const {
        ASSERT_EQ(actual, static_cast<double>((held[row].*part)[i]))
            << "row " << row << " of " << held.size() << ", position " << position;
    }
    /// [heads, rows, width] of what is held.
    reference::array all(std::vector<float> token::* part, std::size_t width) const {
        reference::array a = reference::make({heads, held.size(), width});
        for (std::size_t i = 0; i < a.size(); ++i)
            a.values[i] = (held[i / width % held.size()].*part)[i / width / held.size() * width + i % width];
        return a;
    }
    /// Results of queries of the last positions, over the last `window` of those held, or all.
    void expect_attended(const reference::array& y, const reference::array& q, std::size_t window) const {
        reference::attention_options options;
        options.keep = [&, first = held.size() - q.extents[1]](const reference::index&, std::size_t i, std::size_t j) {
            return j <= first + i && (window == 0 || j + window > first + i);
        };
        const reference::array expected =
            reference::attend(q, all(&token::key, key_width), all(&token::value, value_width), options).values;
        reference::expect_near(y, expected, 1.5e-5, 127);
    }
};

template <class Cache>
struct kv_cache_model : model {
    static constexpr std::size_t capacity = Cache::capacity, heads = Cache::heads, key_width = Cache::key_width,
                                 value_width = Cache::value_width;
    static constexpr bool is_ring = Cache::order == nn::cache_order::ring;
    static inline Cache cache;

    kv_cache_model() : model(capacity, heads, key_width, value_width, is_ring) {}

    /// [heads, rows, width], or [rows, heads * width] by an expression, as a projection has it.
    template <std::size_t Rows, std::size_t Width, bool HeadsFirst>
    static auto rows_of(const std::vector<token>& given, std::vector<float> token::* part) {
        if constexpr (HeadsFirst) {
            tensor<float, heads, Rows, Width> rows;
            for (std::size_t i = 0; i < rows.size(); ++i)
                rows.data()[i] = (given[i / Width % Rows].*part)[i / Width / Rows * Width + i % Width];
            return rows;
        } else {
            tensor<float, Rows, heads * Width> rows;
            for (std::size_t i = 0; i < rows.size(); ++i)
                rows.data()[i] = (given[i / (heads * Width)].*part)[i % (heads * Width)];
            return std::move(rows) + 0.0f;
        }
    }

    template <std::size_t Rows, bool HeadsFirst, bool Refill>
    void write() {
        const std::vector<token> given = tokens(Rows);
        const auto k = rows_of<Rows, key_width, HeadsFirst>(given, &token::key);
        const auto v = rows_of<Rows, value_width, HeadsFirst>(given, &token::value);
        std::size_t count = Refill || random() % 4 != 0 ? upto(Rows) : Rows, kept = 0;
        if constexpr (Refill) {
            if (position <= capacity && random() % 2 == 0) kept = std::min(upto(position), capacity - Rows);
            keep(kept);
            static workspace<Cache::template refill_workspace_bytes<decltype(k), decltype(v)>> own;
            if constexpr (HeadsFirst)
                cache.refill(k, v, count, kept);
            else
                cache.refill(k, v, count, own, kept);
        } else {
            count = std::min(count, room());
            static workspace<Cache::template prefill_workspace_bytes<decltype(k), decltype(v)>> own;
            if constexpr (HeadsFirst)
                cache.prefill(k, v, count);
            else
                cache.prefill(k, v, count, own);
        }
        add(given, count);
    }
    void append() {
        const std::vector<token> given = tokens(1);
        const auto k = rows_of<1, key_width, false>(given, &token::key);
        const auto v = rows_of<1, value_width, false>(given, &token::value);
        const bool fits = room() != 0;
        ASSERT_EQ(cache.try_append(k, v), fits);
        if (fits) add(given, 1);
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
                    expect_element(key_scale * static_cast<double>(cache.key_columns(h, slot / Cache::key_block, i,
                                                                                     slot % Cache::key_block)),
                                   r, &token::key, h * key_width + i);
                for (std::size_t i = 0; i < value_width; ++i)
                    expect_element(value_scale * static_cast<double>(cache.value_rows(h, slot, i)), r, &token::value,
                                   h * value_width + i);
            }
        }
    }

    template <std::size_t Rows, bool Windowed>
    void expect_attention(std::size_t window = 0) {
        tensor<float, 3 * heads, Rows, key_width> q;
        for (float& x : q) x = (static_cast<float>(upto(200)) - 100) / 30000;
        tensor<float, 3 * heads, Rows, value_width> y;
        if constexpr (Windowed)
            y = attention(q, cache.keys(), cache.values(), cache.visible(Rows, window));
        else
            y = cache.attend(q);
        expect_attended(reference::of(y), reference::of(q), window);
    }
    void look() {
        if (!held.empty()) expect_attention<1, false>();
        if (held.size() < 4) return;
        expect_attention<4, false>();
        // Of a full ring a query before the last lacks the positions that later ones have overwritten.
        expect_attention<4, true>(1 + upto(position <= capacity ? capacity : capacity - 4));
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
        case 7:
        case 8: return write<some, true, false>();
        default: return append();
        }
    }
};

using nn::cache_order;
using caches =
    testing::Types<nn::kv_cache<float, 192, 1, 5, 5, cache_order::ring>,
                   nn::kv_cache<bf16, 24, 2, 6, 5, cache_order::ring>, nn::kv_cache<f16, 17, 1, 8>,
                   nn::kv_cache<std::int8_t, 12, 2, 5, 7, cache_order::ring>, nn::kv_cache<std::int8_t, 640, 1, 4>>;
TYPED_TEST_SUITE(kv_cache_model, caches);

TYPED_TEST(kv_cache_model, holds_the_latest_rows) {
    for (std::size_t sequence = 0; sequence < 20; ++sequence) {
        support::spoil(this->cache);
        this->cache.clear();
        this->keep(0);
        for (std::size_t i = 0; i < 40; ++i) {
            ASSERT_NO_FATAL_FAILURE(this->step());
            ASSERT_NO_FATAL_FAILURE(this->expect_rows());
            if (i % 5 == 0) {
                ASSERT_NO_FATAL_FAILURE(this->look());
            }
        }
    }
}

/// Rows that count in part, after rows that a full cache must keep, in constant expressions too.
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
static_assert(keeps_what_is_not_overwritten<nn::kv_cache<float, 4, 1, 1, 1, cache_order::ring>>(4, 1));
static_assert(keeps_what_is_not_overwritten<nn::kv_cache<float, 4, 1, 1>>(3, 1));

}  // namespace
