// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using ashlar::detail::k_range;

/// Whether some (or all) of the queries keep a key.
template <class Scores, class Mask>
struct truth {
    const Mask& mask;
    std::array<std::size_t, Scores::rank - 2> batch;
    std::size_t q0, q1;

    bool any(std::size_t key) const { return count(key) != 0; }
    bool all(std::size_t key) const { return count(key) == q1 - q0; }
    std::size_t count(std::size_t key) const {
        std::size_t kept = 0;
        for (std::size_t q = q0; q < q1; ++q) {
            std::array<std::size_t, Scores::rank> at{};
            for (std::size_t a = 0; a < batch.size(); ++a) at[a] = batch[a];
            at[Scores::rank - 2] = q;
            at[Scores::rank - 1] = key;
            if (ashlar::detail::mask_keeps<Scores>(mask, at)) ++kept;
        }
        return kept;
    }
};

template <class Scores, class Mask>
void expect_right(const truth<Scores, Mask>& kept, const k_range& p, std::size_t first, std::size_t last,
                  const char* what) {
    constexpr std::size_t keys = Scores::extents[Scores::rank - 1];
    ASSERT_LE(p.last, keys) << what;
    ASSERT_TRUE(p.first <= p.plain_first && p.plain_first <= p.plain_last && p.plain_last <= p.last) << what;
    for (std::size_t k = first; k < last; ++k) {
        const bool inside = p.first <= k && k < p.last, plain = p.plain_first <= k && k < p.plain_last;
        ASSERT_TRUE(inside || !kept.any(k)) << what << ": key " << k << " of queries " << kept.q0 << " to " << kept.q1;
        ASSERT_TRUE(!plain || kept.all(k)) << what << ": key " << k << " of queries " << kept.q0 << " to " << kept.q1;
    }
}

template <class Scores, class Mask>
void check(const Mask& mask, bool has_gaps = false, std::array<std::size_t, Scores::rank - 2> batch = {}) {
    constexpr std::size_t queries = Scores::extents[Scores::rank - 2], keys = Scores::extents[Scores::rank - 1];
    constexpr std::size_t group = ashlar::detail::key_group;
    for (std::size_t q0 = 0; q0 < queries; q0 += 3) {
        for (std::size_t q1 = q0 + 1; q1 <= queries; q1 += 4) {
            const truth<Scores, Mask> kept{mask, batch, q0, q1};
            const k_range all = ashlar::detail::kept_keys<Scores>(mask, batch, q0, q1);
            expect_right(kept, all, 0, keys, "tile");
            EXPECT_EQ(all.first % group, 0u);
            EXPECT_TRUE(all.plain_first % group == 0 || all.plain_first == all.last);
            EXPECT_TRUE(all.last % group == 0 || all.last == keys);
            const truth<Scores, Mask> half{mask, batch, q0, q0 + (q1 - q0 + 1) / 2};
            const k_range groups = ashlar::detail::kept_keys_within<group, Scores>(mask, batch, half.q0, half.q1, all);
            expect_right(half, groups, all.first, all.last, "groups of a block");
            EXPECT_TRUE(groups.first >= all.first && groups.last <= all.last);
            const k_range exact = ashlar::detail::kept_keys_within<1, Scores>(mask, batch, half.q0, half.q1, all);
            expect_right(half, exact, all.first, all.last, "keys of a block");
            EXPECT_TRUE(exact.first >= all.first && exact.last <= all.last);
            if (!has_gaps && exact.first < exact.last) {
                EXPECT_TRUE(half.any(exact.first)) << exact.first;
                EXPECT_TRUE(half.any(exact.last - 1)) << exact.last;
            }
        }
    }
}

/// A mask with a span tells exactly, row by row, what it keeps.
template <class Scores, class Mask>
void check_stairs(const Mask& mask) {
    constexpr std::size_t queries = Scores::extents[Scores::rank - 2], keys = Scores::extents[Scores::rank - 1];
    for (std::size_t q0 = 0; q0 < queries; ++q0)
        for (std::size_t q1 = q0 + 1; q1 <= queries && q1 <= q0 + 6; ++q1) {
            const auto by_row = ashlar::detail::per_row_key_range<Scores>(mask, {}, q0, q1);
            ASSERT_LE(static_cast<std::size_t>(by_row.last), keys);
            for (std::size_t q = q0; q < q1; ++q)
                for (std::size_t k = 0; k < keys; ++k) {
                    bool kept =
                        static_cast<std::size_t>(by_row.first) <= k && k < static_cast<std::size_t>(by_row.last);
                    if constexpr (requires { by_row.even(); }) {
                        const auto even = by_row.even();
                        ASSERT_TRUE(static_cast<std::size_t>(by_row.first) <= even.first && even.first <= even.last &&
                                    even.last <= static_cast<std::size_t>(by_row.last));
                        const auto r = static_cast<std::ptrdiff_t>(q - q0), rows = static_cast<std::ptrdiff_t>(q1 - q0);
                        const bool has = by_row.has(r, rows, static_cast<std::ptrdiff_t>(k));
                        if (even.first <= k && k < even.last) {
                            ASSERT_TRUE(has) << q << ' ' << k;
                        }
                        kept = kept && has;
                    }
                    ASSERT_EQ(kept, ashlar::detail::mask_keeps<Scores>(mask, {q, k}))
                        << "query " << q << " of " << q0 << " to " << q1 << ", key " << k;
                }
        }
}

TEST(support, tells_the_keys_of_each_row) {
    using scores = shape<37, 41>;
    check_stairs<scores>(causal);
    check_stairs<scores>(causal_at<3>());
    for (const std::ptrdiff_t offset : {-5, 0, 39, 1000, -1000}) {
        check_stairs<scores>(causal_at(offset));
        for (const std::size_t n : {0u, 1u, 17u, 41u}) check_stairs<scores>(causal_at(offset) && keys_below(n));
    }
    check_stairs<scores>(keys_below(19));
    check_stairs<scores>(sliding_window<9, 4>);
    check_stairs<scores>(sliding_window<2, 0>);
    check_stairs<scores>(sliding_window<0, 0> && keys_below(20));
    check_stairs<scores>(sliding_window<7, -3> && causal_at(-4));
    check_stairs<scores>(sliding_window<-3, 7>);
    check_stairs<scores>(sliding_window<2, -3>);
}

template <class Scores>
void check_masks() {
    check<Scores>(causal);
    check<Scores>(causal_at<3>());
    check<Scores>(causal_at(-5));
    check<Scores>(causal_at(1000));
    check<Scores>(causal_at(-1000));
    check<Scores>(sliding_window<5, 2>);
    check<Scores>(sliding_window<20, -3>);
    check<Scores>(sliding_window<-3, 20>);
    check<Scores>(sliding_window<2, -3>);
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 40u, 1000u}) {
        check<Scores>(keys_below(n));
        check<Scores>(causal && keys_below(n));
        check<Scores>(sliding_window<9, 9> && keys_below(n), true);
    }
    check<Scores>(!causal);
    check<Scores>(causal || keys_below(7), true);
    check<Scores>(sliding_window<3, 0> || !sliding_window<20, 0>, true);
}

TEST(support, tells_which_keys_take_part) {
    check_masks<shape<37, 41>>();
    check_masks<shape<16, 64>>();
    check_masks<shape<1, 7>>();
}

TEST(support, scans_long_rows_in_runs) { check_masks<shape<5, 700>>(); }

TEST(support, asks_the_batch_entry) {
    const tensor<int, 3> lengths{0, 12, 33};
    for (std::size_t b = 0; b < 3; ++b) {
        check<shape<3, 8, 33>>(keys_below(lengths), false, {b});
        check<shape<3, 8, 33>>(causal_at(20) && keys_below(lengths), false, {b});
    }
}

// A mask that knows its span is not queried tile by tile. Other masks are.
static_assert(ashlar::detail::spanning_mask<decltype(causal && keys_below(3)), shape<4, 4>>);
static_assert(!ashlar::detail::spanning_mask<decltype(causal || keys_below(3)), shape<4, 4>>);
static_assert(!ashlar::detail::spanning_mask<decltype(!causal), shape<4, 4>>);

}  // namespace
