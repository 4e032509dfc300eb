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

inline constexpr std::size_t tokens = 65;

struct sequence {
    tensor<float, 2, tokens, 4> k, v, q;

    sequence() {
        support::random_numbers random(5);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }
};

tensor<float, 2, 1, 4> token(const tensor<float, 2, tokens, 4>& x, std::size_t t) {
    return generate<float, 2, 1, 4>([&](auto h, auto, auto i) { return x(h, t, i); });
}

/// The last query of the first t + 1, which sees a window of positions.
reference::array expected(const sequence& s, std::size_t t, std::size_t window) {
    const auto seen = [&](const auto& x) {
        return support::rows(reference::of(x), t + 1 > window ? t + 1 - window : 0, t + 1);
    };
    return reference::attend(reference::of(token(s.q, t)), seen(s.k), seen(s.v)).values;
}

}  // namespace

TEST(kv_cache_ring, decodes_beyond_its_capacity) {
    const sequence s;
    ring cache{};
    support::spoil(cache);
    for (std::size_t t = 0; t < tokens; ++t) {
        EXPECT_FALSE(cache.full());
        ASSERT_TRUE(cache.try_append(reshape<2, 4>(token(s.k, t)), reshape<2, 4>(token(s.v, t))));
        ASSERT_EQ(cache.length(), std::min<std::size_t>(t + 1, 20));
        ASSERT_EQ(cache.position(), t + 1);
        const auto q = token(s.q, t);
        reference::expect_near(eval(cache.attend(q)), expected(s, t, 20));
        // A window smaller than the ring.
        reference::expect_near(eval(attention(q, cache.keys(), cache.values(), cache.visible(1, 7))),
                               expected(s, t, 7));
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
    ring cache{};
    const tensor<float, 90, 8> rows{};
    cache.prefill(rows, rows);
    EXPECT_DEATH(static_cast<void>(cache.visible(9, 13)), "overwritten");
    EXPECT_DEATH(cache.truncate(80), "go back");
}
#endif
