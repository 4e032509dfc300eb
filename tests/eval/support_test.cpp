// SPDX-License-Identifier: BSL-1.0
// Supports of masks: which keys a tile, a block or a row of queries keeps, beside a count of pairs.
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;
using ashlar::detail::k_range;

/// Which keys each query of a batch entry keeps.
using kept_pairs = std::vector<std::vector<char>>;
template <class Scores, class Mask>
kept_pairs pairs_of(const Mask& mask, const std::array<std::size_t, Scores::rank - 2>& batch) {
    constexpr std::size_t rank = Scores::rank;
    kept_pairs kept(Scores::extents[rank - 2], std::vector<char>(Scores::extents[rank - 1]));
    std::array<std::size_t, rank> at{};
    std::copy(batch.begin(), batch.end(), at.begin());
    for (std::size_t& q = at[rank - 2]; q < kept.size(); ++q)
        for (std::size_t& k = at[rank - 1] = 0; k < kept[q].size(); ++k)
            kept[q][k] = ashlar::detail::mask_keeps<Scores>(mask, at);
    return kept;
}

/// How many of the queries from q0 on keep a key.
std::size_t count(const kept_pairs& kept, std::size_t q0, std::size_t q1, std::size_t key) {
    std::size_t sum = 0;
    for (std::size_t q = q0; q < q1; ++q) sum += kept[q][key] != 0;
    return sum;
}
/// Whether a range has all keys of [first, last) that a query keeps, and calls none plain that a query does not keep.
bool is_right(const kept_pairs& kept, std::size_t q0, std::size_t q1, const k_range& p, std::size_t first,
              std::size_t last) {
    bool right = p.first <= p.plain_first && p.plain_first <= p.plain_last && p.plain_last <= p.last;
    for (std::size_t k = first; k < last; ++k) {
        const bool inside = p.first <= k && k < p.last, plain = p.plain_first <= k && k < p.plain_last;
        const std::size_t queries = count(kept, q0, q1, k);
        right = right && (inside || queries == 0) && (!plain || queries == q1 - q0);
    }
    return right;
}
[[gnu::noinline]] void expect_ranges(const kept_pairs& kept, std::size_t q0, std::size_t q1, std::size_t half,
                                     const k_range& all, const k_range& groups, const k_range& exact, bool has_gaps) {
    constexpr std::size_t group = ashlar::detail::key_group;
    const std::size_t keys = kept[0].size();
    SCOPED_TRACE(testing::Message() << "queries " << q0 << " to " << q1 << " of " << kept.size() << ", " << keys);
    EXPECT_TRUE(is_right(kept, q0, q1, all, 0, keys));
    EXPECT_EQ(all.first % group, 0u);
    EXPECT_TRUE(all.plain_first % group == 0 || all.plain_first == all.last);
    EXPECT_TRUE((all.last % group == 0 && all.last < keys) || all.last == keys);
    for (const k_range& some : {groups, exact})
        EXPECT_TRUE(is_right(kept, q0, half, some, all.first, all.last) && some.first >= all.first &&
                    some.last <= all.last);
    if (!has_gaps && exact.first < exact.last) {
        EXPECT_NE(count(kept, q0, half, exact.first), 0u) << exact.first;
        EXPECT_NE(count(kept, q0, half, exact.last - 1), 0u) << exact.last;
    }
}

template <class Scores, class Mask>
void check(const Mask& mask, bool has_gaps = false, std::array<std::size_t, Scores::rank - 2> batch = {}) {
    const kept_pairs kept = pairs_of<Scores>(mask, batch);
    for (std::size_t q0 = 0; q0 < kept.size(); q0 += 3)
        for (std::size_t q1 = q0 + 1; q1 <= kept.size(); q1 += 4) {
            const std::size_t half = q0 + (q1 - q0 + 1) / 2;
            const k_range all = ashlar::detail::kept_keys<Scores>(mask, batch, q0, q1);
            expect_ranges(
                kept, q0, q1, half, all,
                ashlar::detail::kept_keys_within<ashlar::detail::key_group, Scores>(mask, batch, q0, half, all),
                ashlar::detail::kept_keys_within<1, Scores>(mask, batch, q0, half, all), has_gaps);
        }
}

/// A mask with a span tells exactly, row by row, what it keeps.
template <class Scores, class Mask>
void check_stairs(const Mask& mask) {
    const kept_pairs kept = pairs_of<Scores>(mask, {});
    const std::size_t keys = kept[0].size();
    for (std::size_t q0 = 0; q0 < kept.size(); ++q0)
        for (std::size_t q1 = q0 + 1; q1 <= kept.size() && q1 <= q0 + 6; ++q1) {
            const auto by_row = ashlar::detail::per_row_key_range<Scores>(mask, {}, q0, q1);
            const auto first = static_cast<std::size_t>(by_row.first), last = static_cast<std::size_t>(by_row.last);
            bool right = last <= keys;
            for (std::size_t q = q0; q < q1; ++q)
                for (std::size_t k = 0; k < keys; ++k) {
                    bool has = first <= k && k < last;
                    if constexpr (requires { by_row.even(); }) {
                        const auto even = by_row.even();
                        right = right && first <= even.first && even.first <= even.last && even.last <= last;
                        const bool in_row =
                            by_row.has(static_cast<std::ptrdiff_t>(q - q0), static_cast<std::ptrdiff_t>(q1 - q0),
                                       static_cast<std::ptrdiff_t>(k));
                        right = right && (in_row || k < even.first || k >= even.last);
                        has = has && in_row;
                    }
                    right = right && has == (kept[q][k] != 0);
                }
            ASSERT_TRUE(right) << "queries " << q0 << " to " << q1;
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
