// SPDX-License-Identifier: BSL-1.0
// The cache as a ring: rows are overwritten in order, and windows of queries cover slots out of order.
#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

using ring = nn::kv_cache<float, 20, 2, 4, 4, nn::cache_order::ring>;

inline constexpr std::size_t tokens = 90;

struct sequence {
    tensor<float, tokens, 8> k, v;  // rows first
    tensor<float, 2, tokens, 4> q;

    sequence() {
        support::random_numbers random(5);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }
};

using support::spoil;

reference::array heads_first(const tensor<float, tokens, 8>& t) {
    return reference::permute({{tokens, 2, 4}, reference::of(t).values}, {1, 0, 2});
}

/// Queries [first, last) of the sequence, each seeing the positions of its window that are also among the last 20.
reference::array expected(const sequence& s, std::size_t first, std::size_t last, std::size_t window) {
    reference::attention_options options;
    options.keep = [=](const reference::index&, std::size_t query, std::size_t key) {
        return key <= query && key + window > query && query >= first && query < last && key + 20 >= last;
    };
    const reference::array all =
        reference::attend(reference::of(s.q), heads_first(s.k), heads_first(s.v), options).values;
    reference::array result{{2, last - first, 4}, {}};
    for (std::size_t h = 0; h < 2; ++h)
        for (std::size_t t = first; t < last; ++t)
            for (std::size_t i = 0; i < 4; ++i) result.values.push_back(all.values[(h * tokens + t) * 4 + i]);
    return result;
}

template <std::size_t Rows>
tensor<float, 2, Rows, 4> queries(const sequence& s, std::size_t first) {
    return generate<float, 2, Rows, 4>([&](auto h, auto t, auto i) { return s.q(h, first + t, i); });
}

}  // namespace

TEST(kv_cache_ring, decodes_beyond_its_capacity) {
    const sequence s;
    ring cache{};
    spoil(cache);
    for (std::size_t t = 0; t < 65; ++t) {
        EXPECT_FALSE(cache.full());
        ASSERT_TRUE(cache.try_append(row(s.k, t), row(s.v, t)));
        ASSERT_EQ(cache.length(), std::min<std::size_t>(t + 1, 20));
        ASSERT_EQ(cache.position(), t + 1);
        const auto q = queries<1>(s, t);
        reference::expect_near(eval(cache.attend(q)), expected(s, t, t + 1, 20));
        // A window smaller than the ring.
        reference::expect_near(eval(attention(q, cache.keys(), cache.values(), cache.visible(1, 7))),
                               expected(s, t, t + 1, 7));
    }
}

TEST(kv_cache_ring, prefills_in_chunks) {
    const sequence s;
    ring cache{};
    spoil(cache);
    for (std::size_t t = 0; t + 9 <= tokens; t += 9) {
        cache.prefill(reshape<9, 8>(tensor_view<const float, 9, 8>(s.k.data() + t * 8)),
                      tensor_view<const float, 9, 8>(s.v.data() + t * 8));
        ASSERT_EQ(cache.position(), t + 9);
        const auto q = queries<9>(s, t);
        reference::expect_near(eval(cache.attend(q)), expected(s, t, t + 9, 1000));
        reference::expect_near(eval(attention(q, cache.keys(), cache.values(), cache.visible(9, 12))),
                               expected(s, t, t + 9, 12));
    }
    // More rows than the ring has: the last remain.
    ring other{};
    spoil(other);
    other.prefill(s.k, s.v);
    EXPECT_EQ(other.length(), 20u);
    EXPECT_EQ(other.position(), tokens);
    const auto q = queries<1>(s, tokens - 1);
    reference::expect_near(eval(other.attend(q)), expected(s, tokens - 1, tokens, 20));
    // Some of the given rows, over the turn.
    ring third{};
    spoil(third);
    third.prefill(tensor_view<const float, 18, 8>(s.k.data()), tensor_view<const float, 18, 8>(s.v.data()));
    third.prefill(tensor_view<const float, 18, 8>(s.k.data() + 144), tensor_view<const float, 18, 8>(s.v.data() + 144),
                  5);
    EXPECT_EQ(third.position(), 23u);
    reference::expect_near(eval(third.attend(queries<1>(s, 22))), expected(s, 22, 23, 20));
}

/// Rows behind `count` must not take the places of rows that a full ring still has, though there is room before its
/// end.
TEST(kv_cache_ring, prefills_some_rows_into_a_full_one) {
    static ring some, all;
    support::random_numbers random(7);
    const auto k = random.normal<float, 20, 8>(), v = random.normal<float, 20, 8>();
    const auto next_k = random.normal<float, 6, 8>(), next_v = random.normal<float, 6, 8>();
    some.prefill(k, v);
    all.prefill(k, v);
    some.prefill(next_k, next_v, 2);
    for (std::size_t i = 0; i < 2; ++i)
        all.append(tensor_view<const float, 8>(next_k.data() + 8 * i),
                   tensor_view<const float, 8>(next_v.data() + 8 * i));
    const tensor<float, 2, 20, 4> keys = some.keys(), values = some.values(), keys_of_all = all.keys(),
                                  values_of_all = all.values();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        EXPECT_EQ(keys.data()[i], keys_of_all.data()[i]);
        EXPECT_EQ(values.data()[i], values_of_all.data()[i]);
    }
}

TEST(kv_cache_ring, masks_answer_for_tiles_as_for_pairs) {
    using scores = shape<9, 20>;
    for (std::size_t appended : {9u, 19u, 20u, 21u, 33u, 40u, 59u})
        for (std::size_t window : {1u, 5u, 12u, 1000u}) {
            const nn::detail::cached_keys_mask<20> mask(appended, appended - 9, window);
            for (std::size_t q0 = 0; q0 < 9; q0 += 2)
                for (std::size_t q1 = q0 + 1; q1 <= 9; q1 += 3)
                    for (std::size_t k0 = 0; k0 < 20; k0 += 3)
                        for (std::size_t k1 = k0 + 1; k1 <= 20; k1 += 4) {
                            std::size_t kept = 0;
                            for (std::size_t i = q0; i < q1; ++i)
                                for (std::size_t j = k0; j < k1; ++j) {
                                    const std::size_t newest = appended - 1;
                                    const std::size_t position = newest < j ? j : newest - (newest - j) % 20;
                                    const std::size_t query = appended - 9 + i;
                                    const bool keep = position <= query && position + window > query;
                                    kept += keep ? 1 : 0;
                                    ASSERT_EQ(ashlar::detail::mask_keeps<scores>(mask, {i, j}), keep)
                                        << appended << " " << window << " " << i << " " << j;
                                }
                            const tile_content content = ashlar::detail::mask_content<scores>(mask, {}, q0, q1, k0, k1);
                            if (content == tile_content::empty) {
                                ASSERT_EQ(kept, 0u);
                            }
                            if (content == tile_content::full) {
                                ASSERT_EQ(kept, (q1 - q0) * (k1 - k0));
                            }
                        }
        }
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(kv_cache_ring_death, overwritten_windows_are_asserted) {
    const sequence s;
    ring cache{};
    cache.prefill(s.k, s.v);
    EXPECT_DEATH(static_cast<void>(cache.visible(9, 13)), "overwritten");
    EXPECT_DEATH(cache.truncate(80), "go back");
}
#endif
