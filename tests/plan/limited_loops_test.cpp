// SPDX-License-Identifier: BSL-1.0
// Plans of evaluations that compute the first rows only: which loops stop where, in which tiles, and in what scratch.
#include <array>
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::entry_limits;
using detail::plan_loop;
using support::x;

template <class E, class Config = avx512>
using limited = detail::planned<E, Config, detail::row_major<E>(), detail::rows_below_count>;

/// One of the `count` loops over rows, by its number.
template <class Config = avx512>
plan_loop rows_loop(const auto& e, std::size_t number = 0, std::size_t count = 1) {
    using plan = limited<std::remove_cvref_t<decltype(e)>, Config>;
    plan_loop found{};
    std::size_t seen = 0;
    for (std::size_t l = 0; l < plan::code.loop_count; ++l) {
        if (!plan::code.loops[l].rows) continue;
        if (seen++ == number) found = plan::code.loops[l];
    }
    EXPECT_EQ(seen, count);
    return found;
}
/// Two products. The first one's result waits in the tile.
template <std::size_t Rows>
auto chain() {
    return matmul(matmul(x<Rows, 32>(), x<32, 32>()), x<32, 32>());
}

TEST(limited_loops, tiles_of_32_and_16) {
    const plan_loop loop = rows_loop(chain<128>());
    EXPECT_EQ(loop.limits, entry_limits::rows());
    EXPECT_EQ(loop.tile, 32u);
    EXPECT_EQ(loop.last_rows(), 16u);
    EXPECT_FALSE(loop.overlaps);
    EXPECT_EQ(rows_loop(chain<20>()).tile, 20u);
    EXPECT_EQ(rows_loop(chain<20>()).last_rows(), 16u);
    EXPECT_EQ(rows_loop(chain<16>()).last_rows(), 0u);
    EXPECT_FALSE(rows_loop(chain<48>()).overlaps) << "half a tile at the end";
}
TEST(limited_loops, flat_tiles_where_nothing_waits) {
    const plan_loop loop = rows_loop(matmul(x<128, 32>(), x<32, 32>()));
    EXPECT_EQ(loop.limits, entry_limits::rows());
    EXPECT_EQ(loop.tile, 16u);
    EXPECT_EQ(loop.last_rows(), 8u);
}
TEST(limited_loops, last_tiles_that_begin_early) {
    EXPECT_TRUE(rows_loop(chain<100>()).overlaps);
    EXPECT_EQ(rows_loop(chain<100>()).last_rows(), 16u);
    // One stage may read its own destination.
    const plan_loop alone = rows_loop(matmul(x<100, 32>(), x<32, 32>()));
    EXPECT_FALSE(alone.overlaps);
    EXPECT_EQ(alone.last_rows(), 4u);
}
TEST(limited_loops, keys_and_values) {
    const auto keys = matmul(x<64, 24>(), x<24, 16>());
    const auto values = matmul(x<64, 24>(), x<24, 20>());
    const auto q = x<48, 16>();
    // Loops of what is needed before are opened later.
    EXPECT_EQ(rows_loop(attention(q, keys, values, keys_below(1)), 0, 2).limits, entry_limits::rows());
    EXPECT_EQ(rows_loop(attention(q, keys, values, keys_below(1)), 1, 2).limits, entry_limits::keys(0));
    EXPECT_EQ(rows_loop(attention(q, keys, values, causal), 1, 2).limits, entry_limits::keys(0));
    EXPECT_FALSE(rows_loop(attention(q, keys, values), 1, 2).limits.stop()) << "all keys are kept";
    EXPECT_EQ(rows_loop(attention(q, keys, values), 1, 2).tile, 64u);
    EXPECT_FALSE(rows_loop(attention(q, keys, values, !keys_below(1)), 1, 2).limits.stop()) << "nobody says which";
}
// Masks of keys and the rows of the result, of what both read.
TEST(limited_loops, several_limits) {
    const auto both = let(matmul(x<64, 24>(), x<24, 16>()),
                          [](const auto& y) { return attention(y, y, matmul(y, x<16, 16>()), keys_below(1)); });
    entry_limits expected = entry_limits::rows();
    expected.add(entry_limits::keys(0));
    bool found = false;
    for (const plan_loop& loop : limited<std::remove_const_t<decltype(both)>>::code.loops)
        found = found || loop.limits == expected;
    EXPECT_TRUE(found) << explain(both, rows_below(1)).c_str();
}
TEST(limited_loops, rows_that_are_needed_whole) {
    const auto product = matmul(x<8, 64>(), chain<64>());
    EXPECT_EQ(rows_loop(product, 0, 2).limits, entry_limits::rows());
    EXPECT_FALSE(rows_loop(product, 1, 2).limits.stop());
}
// A destination of scores is not limited by what a mask below it keeps.
TEST(limited_loops, stores_keep_all_keys) {
    static tensor<float, 64, 16> written;
    const auto e = attention(x<48, 16>(), store(written, matmul(x<64, 24>(), x<24, 16>())), x<64, 20>(), keys_below(1));
    for (const plan_loop& loop : limited<std::remove_const_t<decltype(e)>>::code.loops)
        EXPECT_FALSE(loop.limits.have_keys());
}

/// Whether the n-th product skips register blocks of rows that are not requested, in full tiles and in the last one.
template <class Config = avx512>
std::array<bool, 2> skips_rows(const auto& e, std::size_t n = 0) {
    const auto& code = limited<std::remove_cvref_t<decltype(e)>, Config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == detail::stage_kind::product && n-- == 0)
            return {code.stages[s].how[detail::full_tile].skips_rows, code.stages[s].how[detail::last_tile].skips_rows};
    ADD_FAILURE() << explain(e, rows_below(1)).c_str();
    return {};
}
TEST(limited_loops, register_blocks_that_are_left_out) {
    using skips = std::array<bool, 2>;
    constexpr skips in_all{true, true}, in_full_tiles{true, false}, never{};
    const auto product = matmul(x<128, 64>(), x<64, 64>());
    EXPECT_EQ(skips_rows(product), in_full_tiles) << "the last tile has 8 rows, which are one block";
    EXPECT_EQ(skips_rows<avx2>(product), in_all);
    EXPECT_EQ(skips_rows<cortex_m4f>(product), in_all);
    EXPECT_EQ(skips_rows(matmul(x<128, 64>(), transpose(x<1, 64>()))), in_all) << "dot products, row by row";
    static packed<float, 64, 64> panels;
    static quantized<float, 64, 64> bytes;
    EXPECT_EQ(skips_rows(matmul(x<128, 64>(), panels)), in_full_tiles);
    EXPECT_EQ(skips_rows(matmul(x<128, 64>(), bytes)), in_full_tiles);
    EXPECT_EQ(skips_rows(matmul(x<4, 64>(), x<64, 64>())), never) << "one register block";
    EXPECT_EQ(skips_rows(matmul(x<2, 64>(), matmul(x<64, 32>(), x<32, 64>()))), never) << "rows that are needed whole";
    EXPECT_EQ(skips_rows(softmax(matmul(x<64, 32>(), transpose(x<64, 32>())))), never) << "rows in lanes";

    constexpr std::string_view line = "register blocks of unneeded rows skipped";
    EXPECT_EQ(std::string_view(explain(product, rows_below(1)).c_str()).find(line) != std::string_view::npos,
              skips_rows<current_config>(product)[0]);
    EXPECT_EQ(std::string_view(explain(product).c_str()).find(line), std::string_view::npos);
}

template <class Config>
void expect_scratch(const auto& e) {
    using expression = std::remove_cvref_t<decltype(e)>;
    using whole = detail::planned<expression, Config>;
    EXPECT_LE((limited<expression, Config>::code.scratch_bytes), whole::code.scratch_bytes) << explain(e).c_str();
}
template <class Config>
void machines() {
    expect_scratch<Config>(chain<100>());
    expect_scratch<Config>(matmul(x<64, 64>(), transpose(x<5, 64>())));
    expect_scratch<Config>(attention(matmul(x<70, 9>(), x<9, 9>()), matmul(x<70, 9>(), x<9, 9>()), x<70, 3>(), causal));
    expect_scratch<Config>(matmul(gelu(x<40, 3>()), x<3, 5>()));
}
TEST(limited_loops, no_more_scratch_than_all_rows) {
    machines<avx512>();
    machines<avx2>();
    machines<cortex_m4f>();
}

}  // namespace
