// SPDX-License-Identifier: BSL-1.0
// Masks: what each keeps, pair by pair, in lanes and in tiles; how they combine; how their pairs are counted.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/block_diagonal.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
using detail::mask_content;
using detail::mask_keeps;
using detail::mask_kept_pairs;
using detail::mask_lanes;

template <std::size_t... Extents>
using extents = shape<Extents...>;

constexpr bool checkerboard(std::size_t q, std::size_t k) { return (q + k) % 2 == 0; }
constexpr auto blocks = [](std::size_t q, std::size_t k) { return q / 16 == k / 16; };
constexpr auto sinks = [](std::size_t, std::size_t k) { return k < 4; };
struct strided_keys {
    std::size_t step;
    constexpr bool operator()(std::size_t, std::size_t k) const { return k % step == 0; }
};

// Types.
static_assert(any_mask<decltype(causal)> && any_mask<decltype(sliding_window<3, 0>)> && any_mask<decltype(!causal)>);
static_assert(!any_mask<int> && !any_mask<tensor<bool, 4>> && !any_expression<decltype(causal)>);
static_assert(decltype(causal && sliding_window<3, 0>)::is_static && std::is_empty_v<decltype(causal)>);
static_assert(!decltype(causal && keys_below(3))::is_static);
static_assert(std::is_empty_v<decltype(keep_if(blocks))> && decltype(keep_if(blocks))::is_static);
static_assert(std::is_same_v<decltype(causal && keep_if<blocks>), decltype(causal && keep_if<blocks>())>);
static_assert(std::is_same_v<decltype(causal_at<0>()), std::remove_const_t<decltype(causal)>>);
static_assert(keep_if<strided_keys{3}>().keeps<extents<4, 4>>({0, 3}));

// Kept pairs.
constexpr std::size_t triangle(std::size_t n) { return n * (n + 1) / 2; }
template <class M, class Scores>
constexpr std::size_t pairs = mask_kept_pairs<std::remove_cvref_t<M>, Scores>;

static_assert(pairs<decltype(causal), extents<2, 3, 64, 64>> == 6 * triangle(64));
static_assert(pairs<decltype(causal), extents<5, 9>> == 15 && pairs<decltype(causal), extents<9, 5>> == 15 + 20);
static_assert(pairs<decltype(causal_at<4>()), extents<5, 9>> == 35);
static_assert(pairs<decltype(causal), extents<4096, 4096>> == triangle(4096));
static_assert(pairs<decltype(!causal), extents<64, 64>> == 64 * 64 - triangle(64));
static_assert(pairs<decltype(sliding_window<1, 1>), extents<7, 7>> == 19);
static_assert(pairs<decltype(sliding_window<-1, 0>), extents<7, 7>> == 0);
static_assert(pairs<decltype(causal && sliding_window<15, 1000>), extents<1000, 1000>> == triangle(16) + 984 * 16);
static_assert(pairs<decltype(!causal || sliding_window<2, 0>), extents<6, 6>> == 15 + 6 + 5 + 4);
static_assert(pairs<decltype(keep_if(blocks)), extents<200, 200>> == 12 * 256 + 64);
static_assert(pairs<decltype(causal && keep_if<sinks>), extents<100, 50>> == 1 + 2 + 3 + 97 * 4);
static_assert(pairs<decltype(causal && keys_below(3)), extents<8, 8>> == triangle(8));
static_assert(pairs<decltype(causal || keys_below(3)), extents<8, 8>> == 64);
static_assert(pairs<decltype(causal && (keys_below(3) && sliding_window<0, 0>)), extents<8, 8>> == 8);
static_assert(pairs<decltype(block_diagonal<16>), extents<200, 200>> == 12 * 256 + 64);
static_assert(pairs<decltype(block_diagonal<16>), extents<2048, 1024>> == 1024 * 16);
static_assert(pairs<decltype(causal && block_diagonal<16>), extents<64, 64>> == 4 * triangle(16));
static_assert(pairs<decltype(!block_diagonal<16>), extents<64, 64>> == 64 * 48);
// Beyond 2^18 pairs a predicate is not called.
static_assert(pairs<decltype(keep_if(blocks)), extents<2048, 1024>> == 2048 * 1024);

// Tiles.
constexpr tile_content empty = tile_content::empty, mixed = tile_content::mixed, full = tile_content::full;
using square = extents<64, 64>;
static_assert(mask_content<square>(causal, {}, 0, 8, 0, 8) == mixed &&
              mask_content<square>(causal, {}, 8, 16, 0, 8) == full);
static_assert(mask_content<square>(causal, {}, 0, 8, 8, 16) == empty &&
              mask_content<square>(causal, {}, 8, 16, 0, 9) == full);
static_assert(mask_content<square>(!causal, {}, 0, 8, 8, 16) == full);
static_assert(mask_content<square>(causal_at(-8), {}, 0, 8, 0, 64) == empty);
static_assert(mask_content<square>(sliding_window<4, 0>, {}, 8, 16, 0, 4) == empty);
static_assert(mask_content<square>(keys_below(10), {}, 0, 8, 10, 16) == empty);
static_assert(mask_content<square>(keys_below(10) && causal, {}, 10, 18, 0, 10) == full);
static_assert(mask_content<square>(keep_if<blocks>(), {}, 16, 32, 16, 32) == full);
static_assert(mask_content<square>(keep_if<blocks>(), {}, 16, 32, 32, 64) == empty);
static_assert(mask_content<square>(block_diagonal<16>, {}, 16, 32, 16, 32) == full &&
              mask_content<square>(block_diagonal<16>, {}, 16, 32, 32, 64) == empty &&
              mask_content<square>(block_diagonal<16>, {}, 15, 17, 0, 16) == mixed &&
              mask_content<square>(block_diagonal<16>, {}, 16, 32, 8, 17) == mixed &&
              mask_content<square>(block_diagonal<16>, {}, 16, 32, 31, 33) == mixed);
static_assert(detail::static_tile_contents<decltype(keep_if(blocks)), 64, 64, 32, 32> ==
              std::array{mixed, empty, empty, mixed});

template <class Scores, class M>
bool kept(const M& m, const std::array<std::size_t, Scores::rank - 2>& batch, std::size_t q, std::size_t k) {
    std::array<std::size_t, Scores::rank> at{};
    for (std::size_t i = 0; i + 2 < Scores::rank; ++i) at[i] = batch[i];
    at[Scores::rank - 2] = q;
    at[Scores::rank - 1] = k;
    return mask_keeps<Scores>(m, at);
}

// Compares tiles and lanes with the pairs: contents may be mixed when unsure, but never wrong.
template <class Scores, class M>
void expect_consistent(const M& m, const std::array<std::size_t, Scores::rank - 2>& batch) {
    constexpr std::size_t queries = detail::query_extent<Scores>, keys = detail::key_extent<Scores>;
    for (std::size_t side : {std::size_t{1}, std::size_t{5}, std::size_t{16}})
        for (std::size_t q0 = 0; q0 < queries; q0 += side)
            for (std::size_t k0 = 0; k0 < keys; k0 += side) {
                const std::size_t q1 = std::min(queries, q0 + side), k1 = std::min(keys, k0 + side);
                std::size_t count = 0;
                for (std::size_t q = q0; q < q1; ++q)
                    for (std::size_t k = k0; k < k1; ++k) count += kept<Scores>(m, batch, q, k) ? 1 : 0;
                const tile_content content = mask_content<Scores>(m, batch, q0, q1, k0, k1);
                ASSERT_TRUE(content != empty || count == 0) << q0 << " " << k0;
                ASSERT_TRUE(content != full || count == (q1 - q0) * (k1 - k0)) << q0 << " " << k0;
            }

    const auto check_lanes = [&]<std::size_t N>() {
        using index = lanes<std::int32_t, N>;
        for (std::size_t q0 = 0; q0 < queries; ++q0)
            for (std::size_t k0 = 0; k0 < keys; ++k0) {
                const auto q = static_cast<std::int32_t>(q0), k = static_cast<std::int32_t>(k0);
                const std::size_t along_keys = std::min(N, keys - k0), along_queries = std::min(N, queries - q0);
                const auto across = mask_lanes<Scores>(m, batch, index(q), index(k) + index::iota(), along_keys);
                const auto down = mask_lanes<Scores>(m, batch, index(q) + index::iota(), index(k), along_queries);
                static_assert(std::is_same_v<std::remove_const_t<decltype(down)>, lane_mask<std::int32_t, N>>);
                for (std::size_t i = 0; i < along_keys; ++i)
                    ASSERT_EQ(across[i], kept<Scores>(m, batch, q0, k0 + i)) << q0 << " " << k0 << " " << i;
                for (std::size_t i = 0; i < along_queries; ++i)
                    ASSERT_EQ(down[i], kept<Scores>(m, batch, q0 + i, k0)) << q0 << " " << k0 << " " << i;
            }
    };
    check_lanes.template operator()<1>();
    check_lanes.template operator()<lane_width<float>>();
}

TEST(mask, static_masks_agree_with_themselves) {
    using scores = extents<23, 37>;
    expect_consistent<scores>(causal, {});
    expect_consistent<scores>(causal_at<14>(), {});
    expect_consistent<scores>(sliding_window<4, 2>, {});
    expect_consistent<scores>(sliding_window<-2, 5>, {});
    expect_consistent<scores>(keep_if<checkerboard>(), {});
    expect_consistent<scores>(keep_if(blocks), {});
    expect_consistent<scores>(!sliding_window<4, 0> || (causal && keep_if<sinks>), {});
}

TEST(mask, pairs_are_kept_by_the_documented_rule) {
    using scores = extents<9, 13>;
    for (std::size_t q = 0; q < 9; ++q)
        for (std::size_t k = 0; k < 13; ++k) {
            const auto i = static_cast<int>(q), j = static_cast<int>(k);
            EXPECT_EQ(kept<scores>(causal, {}, q, k), j <= i);
            EXPECT_EQ(kept<scores>(causal_at(4), {}, q, k), j <= i + 4);
            EXPECT_EQ(kept<scores>(causal_at<-2>(), {}, q, k), j <= i - 2);
            EXPECT_EQ(kept<scores>(sliding_window<2, 1>, {}, q, k), i - 2 <= j && j <= i + 1);
            EXPECT_EQ(kept<scores>(keys_below(5), {}, q, k), j < 5);
            EXPECT_EQ(kept<scores>(keep_if<checkerboard>(), {}, q, k), (i + j) % 2 == 0);
            EXPECT_EQ(kept<scores>(!causal || sliding_window<0, 0>, {}, q, k), j >= i);
        }
}

TEST(mask, causal_at_takes_any_offset) {
    using scores = extents<4, 4>;
    EXPECT_TRUE(kept<scores>(causal_at(std::numeric_limits<std::ptrdiff_t>::max()), {}, 0, 3));
    EXPECT_FALSE(kept<scores>(causal_at(std::numeric_limits<std::ptrdiff_t>::min()), {}, 3, 0));
    expect_consistent<scores>(causal_at(std::numeric_limits<std::ptrdiff_t>::max()), {});
    expect_consistent<scores>(causal_at(std::numeric_limits<std::ptrdiff_t>::min()), {});
    // What converts to an integer is one.
    enum keys { cached = 2 };
    static_assert(std::is_same_v<decltype(causal_at(cached)), decltype(causal_at(2))>);
    static_assert(std::is_same_v<decltype(causal_at(std::integral_constant<int, 2>{})), decltype(causal_at(2))>);
}

template <class Int>
void expect_causal_at_ends_of_type() {
    using scores = extents<4, 9>;
    using limits = std::numeric_limits<Int>;
    for (const Int n : {limits::min(), static_cast<Int>(limits::min() + 1), Int(0), Int(3),
                        static_cast<Int>(limits::max() / 2 + 2), static_cast<Int>(limits::max() - 1), limits::max()}) {
        expect_consistent<scores>(causal_at(n), {});
        expect_consistent<scores>(!causal_at(n) && keys_below(n), {});
        for (std::size_t q = 0; q < 4; ++q)
            for (std::size_t k = 0; k < 9; ++k) {
                const bool kept_there = n < 0 ? k < q && q - k >= std::uintmax_t{0} - static_cast<std::uintmax_t>(n)
                                              : k <= q || k - q <= static_cast<std::uintmax_t>(n);
                EXPECT_EQ(kept<scores>(causal_at(n), {}, q, k), kept_there) << +n;
                EXPECT_EQ(kept<scores>(keys_below(n), {}, q, k), n >= 0 && k < static_cast<std::uintmax_t>(n)) << +n;
            }
    }
}

TEST(mask, numbers_at_the_ends_of_all_integers) {
    expect_causal_at_ends_of_type<std::int8_t>();
    expect_causal_at_ends_of_type<std::uint8_t>();
    expect_causal_at_ends_of_type<std::int64_t>();
    expect_causal_at_ends_of_type<std::uint64_t>();
}

TEST(mask, keys_below_is_clamped) {
    using scores = extents<3, 8>;
    for (const long long n : {-5LL, 0LL, 3LL, 8LL, 9LL, 1LL << 40}) {
        expect_consistent<scores>(keys_below(n), {});
        for (std::size_t k = 0; k < 8; ++k)
            EXPECT_EQ(kept<scores>(keys_below(n), {}, 0, k), static_cast<long long>(k) < n);
    }
    EXPECT_TRUE(kept<scores>(keys_below(std::numeric_limits<std::uint64_t>::max()), {}, 0, 7));
}

TEST(mask, keys_below_each) {
    tensor<int, 2> lengths{3, 11};
    using scores = extents<2, 3, 5, 9>;  // batch, heads, queries, keys
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 3; ++h) {
            expect_consistent<scores>(keys_below(lengths), {b, h});
            for (std::size_t k = 0; k < 9; ++k)
                EXPECT_EQ(kept<scores>(keys_below(lengths), {b, h}, 4, k), static_cast<int>(k) < lengths(b));
        }
    tensor<std::int64_t, 1, 3> per_head{-1, 4, 9};
    expect_consistent<scores>(keys_below(per_head), {1, 2});
    EXPECT_TRUE(kept<scores>(keys_below(per_head), {1, 2}, 0, 8));
    EXPECT_FALSE(kept<scores>(keys_below(per_head), {1, 0}, 0, 0));
    const auto of_last = keys_below(tensor<int, 3>{1, 2, 3});
    EXPECT_TRUE(kept<scores>(of_last, {1, 2}, 0, 2));
    EXPECT_FALSE(kept<scores>(of_last, {1, 1}, 0, 2));
    EXPECT_TRUE(kept<scores>(keys_below(tensor<int>{2}), {1, 1}, 0, 1));
    lengths(0) = 1;  // A named tensor is borrowed.
    EXPECT_EQ(mask_content<scores>(keys_below(lengths), {0, 0}, 0, 5, 1, 9), empty);
}

TEST(mask, causal_at_each) {
    tensor<int, 2> offsets{-2, 4};
    using scores = extents<2, 3, 5, 9>;  // batch, heads, queries, keys
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t h = 0; h < 3; ++h) {
            expect_consistent<scores>(causal_at(offsets), {b, h});
            expect_consistent<scores>(causal_at(offsets) && sliding_window<3, 100>, {b, h});
            expect_consistent<scores>(!causal_at(offsets) || keys_below(1), {b, h});
            for (std::size_t q = 0; q < 5; ++q)
                for (std::size_t k = 0; k < 9; ++k)
                    EXPECT_EQ(kept<scores>(causal_at(offsets), {b, h}, q, k),
                              static_cast<int>(k) <= static_cast<int>(q) + offsets(b));
        }
    using limits = std::numeric_limits<std::int64_t>;
    const tensor<std::int64_t, 1, 3> per_head{limits::min(), 0, limits::max()};
    for (std::size_t h = 0; h < 3; ++h) {
        expect_consistent<scores>(causal_at(per_head), {1, h});
        EXPECT_EQ(kept<scores>(causal_at(per_head), {1, h}, 2, 2), h >= 1);
        EXPECT_EQ(kept<scores>(causal_at(per_head), {1, h}, 2, 8), h == 2);
    }
    const auto of_last = causal_at(tensor<std::uint64_t, 3>{0, 2, ~std::uint64_t{0}});
    EXPECT_FALSE(kept<scores>(of_last, {1, 0}, 0, 2));
    EXPECT_TRUE(kept<scores>(of_last, {1, 1}, 0, 2) && kept<scores>(of_last, {0, 2}, 0, 8));
    offsets(0) = 8;  // A named tensor is borrowed.
    EXPECT_EQ(mask_content<scores>(causal_at(offsets), {0, 0}, 0, 5, 0, 9), full);
}

TEST(mask, keep_and_ignore_broadcast) {
    using scores = extents<2, 3, 17, 21>;
    tensor<bool, 21> padding{};
    for (std::size_t k = 0; k < 13; ++k) padding(k) = true;
    tensor<bool, 17, 21> pairs_kept{};
    for (std::size_t i = 0; i < pairs_kept.size(); ++i) pairs_kept.data()[i] = i * i % 7 < 3;
    tensor<bool, 2, 1, 17, 1> rows{};
    for (std::size_t i = 0; i < rows.size(); ++i) rows.data()[i] = i % 3 == 0;
    for (std::size_t b = 0; b < 2; ++b) {
        expect_consistent<scores>(keep(padding), {b, 2});
        expect_consistent<scores>(ignore(padding), {b, 2});
        expect_consistent<scores>(keep(pairs_kept), {b, 2});
        expect_consistent<scores>(keep(rows), {b, 2});
        expect_consistent<scores>(keep(tensor<bool>{true}), {b, 2});
        expect_consistent<scores>(causal && keep(padding) && !keep(pairs_kept), {b, 2});
        EXPECT_EQ(kept<scores>(keep(rows), {b, 1}, 4, 3), rows(b, 0, 4, 0));
        EXPECT_NE(kept<scores>(ignore(pairs_kept), {b, 1}, 4, 3), pairs_kept(4, 3));
    }
    EXPECT_EQ(mask_content<scores>(keep(padding), {0, 0}, 0, 17, 0, 13), full);
    EXPECT_EQ(mask_content<scores>(keep(padding), {0, 0}, 0, 17, 13, 21), empty);
    EXPECT_EQ(mask_content<scores>(keep(padding), {0, 0}, 0, 1, 12, 14), mixed);
    EXPECT_EQ(mask_content<scores>(ignore(padding), {0, 0}, 0, 17, 13, 21), full);
}

TEST(mask, tensors_need_not_be_contiguous) {
    using scores = extents<8, 8>;
    tensor<bool, 8, 8> t{};
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = i * 5 % 11 < 6;
    const strided_view<const bool, std::array<std::ptrdiff_t, 2>{1, 8}, std::size_t{8}, std::size_t{8}> transposed(
        t.data());
    expect_consistent<scores>(keep(transposed), {});
    EXPECT_EQ(kept<scores>(keep(transposed), {}, 2, 5), t(5, 2));
}

TEST(mask, keep_takes_logic_of_bool_tensors) {
    using scores = extents<2, 3, 17, 21>;
    tensor<bool, 2, 21> a{};
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = i % 5 < 3;
    const tensor<bool, 17, 1> b = [] {
        tensor<bool, 17, 1> rows{};
        for (std::size_t i = 0; i < 17; ++i) rows(i, 0) = i % 4 != 1;
        return rows;
    }();
    const auto both = unsqueeze<1>(unsqueeze<1>(a)) && !b;
    expect_consistent<scores>(keep(both), {1, 2});
    expect_consistent<scores>(ignore(both), {0, 0});
    expect_consistent<scores>(keep(reshape<2, 1, 1, 21>(tensor<bool, 42>{})), {1, 1});
    for (std::size_t k = 0; k < 21; ++k) EXPECT_EQ(kept<scores>(keep(both), {1, 2}, 5, k), a(1, k) && !b(5, 0));
}

// Bools beyond `count` lanes are not read: the address sanitizer would say so.
TEST(mask, lanes_stop_at_the_end_of_the_tensor) {
    using index = lanes<std::int32_t, lane_width<float>>;
    using scores = extents<1, 3>;
    const auto t = std::make_unique<tensor<bool, 3>>(true, true, false);
    const auto kept_lanes = mask_lanes<scores>(keep(*t), {}, index(0), index(1) + index::iota(), 2);
    EXPECT_TRUE(kept_lanes[0]);
    if constexpr (index::size > 1) {
        EXPECT_FALSE(kept_lanes[1]);
    }
}

TEST(mask, an_owned_tensor_lives_in_the_mask) {
    using scores = extents<2, 2>;
    constexpr auto m = keep(tensor<bool, 2>{true, false}) && causal;
    static_assert(mask_keeps<scores>(m, {1, 0}) && !mask_keeps<scores>(m, {1, 1}));
    static_assert(mask_content<scores>(m, {}, 0, 2, 1, 2) == empty);
}

static_assert(pairs<decltype(keep_if(blocks)), extents<512, 512>> == 512 * 16);
static_assert(mask_content<extents<512, 512>>(keep_if(blocks), {}, 0, 32, 32, 512) == empty);

TEST(mask, predicates_of_large_scores_are_asked_at_run_time) {
    using scores = extents<2048, 1024>;
    EXPECT_EQ(mask_content<scores>(keep_if(blocks), {}, 32, 48, 32, 48), full);
    EXPECT_EQ(mask_content<scores>(keep_if(blocks), {}, 32, 48, 48, 64), empty);
    EXPECT_EQ(mask_content<scores>(keep_if(blocks), {}, 32, 48, 47, 64), mixed);
}

}  // namespace
