// SPDX-License-Identifier: BSL-1.0
// Which plans that several workers share add in the order of one worker, on machines whichever one compiles.
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using namespace ashlar::detail;

template <class Element, std::size_t Rows, std::size_t Columns>
tensor<Element, Rows, Columns>& x() {
    static tensor<Element, Rows, Columns> t{};
    return t;
}
/// Queries, keys and values of so many tokens.
template <std::size_t Tokens, class Element = float>
auto attend(const auto&... mask) {
    return attention(x<Element, Tokens, 32>(), x<Element, Tokens, 32>(), x<Element, Tokens, 64>(), mask...);
}

/// Whether workers may compute halves of tiles if only the first rows are requested.
template <class Config>
bool in_halves(const auto& e) {
    using expression = std::remove_cvref_t<decltype(e)>;
    constexpr auto& code = planned<expression, Config, row_major<expression>(), rows_below_count>::code;
    std::size_t loops = 0;
    bool halves = false;
    for (loop_index l{}; l < code.loop_count; ++l)
        if (code.loops[l].rows) {
            ++loops;
            halves = have_same_sums_in_parts(code, l);
            EXPECT_EQ(code.loops[l].part, 16u);
        }
    EXPECT_EQ(loops, 1u);
    return halves;
}
/// Whether they may share flat tiles where one worker has tall ones.
template <class Config>
bool in_flat_tiles(const auto& e) {
    using expression = std::remove_cvref_t<decltype(e)>;
    return have_same_sums(planned<expression, Config>::code,
                          planned<expression, shared_config<Config, flat_tile_rows>>::code);
}

TEST(same_sums, without_masks) {
    EXPECT_TRUE(in_halves<avx2>(attend<128>()));
    EXPECT_TRUE(in_halves<avx2>(attend<120>())) << "wherever tiles begin";
    EXPECT_TRUE(in_flat_tiles<avx2>(attend<128>()));
}

// All rows begin with the first key, and blocks at the edge hold the same rows in all tiles.
TEST(same_sums, causal) {
    EXPECT_TRUE(in_halves<avx2>(attend<128>(causal)));
    EXPECT_TRUE(in_flat_tiles<avx2>(attend<128>(causal)));
    EXPECT_TRUE(in_halves<sse2>(attend<128>(causal)));
    EXPECT_TRUE((in_halves<avx2>(attend<120, double>(causal)))) << "8 rows in a block of scores";
    EXPECT_TRUE((in_halves<avx2>(attend<128>(keys_below(100)))));
}

// Which of the scores at an edge are computed by single registers, or halves of them, depends on the block.
TEST(same_sums, scores_at_an_edge) {
    EXPECT_FALSE(in_halves<avx2>(attend<120>(causal))) << "16 rows in a block: the last tile begins between two";
    const auto weights = [](auto& q) { return attention_weights(q, q, causal); };
    EXPECT_FALSE(in_halves<avx512>(weights(x<float, 128, 32>()))) << "32 rows in a block, and 16 in half a tile";
    EXPECT_FALSE(in_flat_tiles<avx512>(weights(x<float, 128, 32>())));
    EXPECT_TRUE(in_halves<avx512>(weights(x<double, 128, 32>()))) << "16 rows in both";
    EXPECT_FALSE(in_halves<avx512>(weights(x<double, 120, 32>()))) << "32 rows in a block, and 16 in half a tile";
    EXPECT_FALSE(in_halves<aarch64>(weights(x<float, 128, 32>()))) << "12 rows in some blocks and 8 in others";
}

// The distance from the first key decides to which of several sums, or places of a register, a key is added.
TEST(same_sums, several_sums) {
    const auto weights = softmax(masked(x<float, 128, 64>(), causal));
    EXPECT_TRUE(in_halves<avx2>(matmul(weights, x<float, 64, 4>()))) << "one sum, too many rows for a strip";
    EXPECT_TRUE(in_flat_tiles<avx2>(matmul(weights, x<float, 64, 4>())));
    EXPECT_TRUE(in_halves<avx512>(matmul(weights, x<float, 64, 4>()))) << "4 rows in each block";
    static packed<float, 64, 64> panels;
    EXPECT_TRUE(in_halves<avx2>(matmul(weights, panels)));
    EXPECT_FALSE(in_halves<avx512>(matmul(weights, panels))) << "two sums";
}

// A block begins with the keys that all of its rows keep.
TEST(same_sums, windows) {
    constexpr auto window = sliding_window<9, 3>;
    EXPECT_FALSE(in_halves<avx2>(attend<128>(window)));
    EXPECT_FALSE((in_halves<avx2>(attend<128, double>(window && keys_below(100)))));
    EXPECT_FALSE(in_flat_tiles<avx2>(attend<128>(window)));
    EXPECT_TRUE((in_halves<aarch64>(attend<120, double>(window)))) << "4 rows in each block";
    EXPECT_FALSE((in_halves<aarch64>(attend<118, double>(window)))) << "the last tile begins between two";
}

}  // namespace
