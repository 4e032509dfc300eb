// SPDX-License-Identifier: BSL-1.0
// Loops over rows as a plan settles them: without tiles where stages hand nothing to each other, and with a last tile
// that is a full one where few rows are computed twice for it.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::code_of, support::x;

/// The first loop over rows of an expression.
template <class Config = avx512>
constexpr detail::plan_loop rows_loop(const auto& e) {
    for (const detail::plan_loop& loop : code_of<Config, decltype(e)>.loops)
        if (loop.rows) return loop;
    return {};
}

/// So many products one after the other.
template <std::size_t Stages>
auto chain(const auto& e) {
    if constexpr (Stages == 0)
        return e;
    else
        return chain<Stages - 1>(matmul(e, x<32, 32>()));
}
template <std::size_t Rows, std::size_t Stages = 8>
auto rows_of() {
    return chain<Stages>(x<Rows, 32>());
}

TEST(settled_loops, last_tiles_that_begin_early) {
    ASSERT_EQ(rows_loop(rows_of<61>()).tile, 32u);
    EXPECT_TRUE(rows_loop(rows_of<61>()).overlaps) << "three rows of 61 twice";
    EXPECT_EQ(rows_loop(rows_of<61>()).last_rows(), 0u);
    EXPECT_FALSE(rows_loop(rows_of<60>()).overlaps) << "four of 60";
    EXPECT_EQ(rows_loop(rows_of<60>()).last_rows(), 28u);
    EXPECT_FALSE(rows_loop(rows_of<64>()).overlaps) << "tiles divide the rows";
    EXPECT_FALSE(rows_loop(rows_of<31>()).overlaps) << "one tile";
}
TEST(settled_loops, of_programs_of_eight_stages) {
    EXPECT_FALSE(rows_loop(rows_of<61, 7>()).overlaps);
    EXPECT_EQ(rows_loop(rows_of<61, 7>()).last_rows(), 29u);
}
// What tiles before have added to would be added to twice.
TEST(settled_loops, not_of_sums_over_tiles) {
    const auto total = sum(rows_of<61, 9>());
    EXPECT_EQ(rows_loop(total).extent, 61u);
    EXPECT_FALSE(rows_loop(total).overlaps);
    EXPECT_EQ(rows_loop(total).last_rows(), 29u);
}
// A register of 64 small integers would be written beyond a tile of 32 rows.
TEST(settled_loops, not_of_tiles_shorter_than_registers) {
    static tensor<std::int8_t, 61, 32> small{};
    static tensor<std::int8_t, 32, 32> weights{};
    const auto step = [](const auto& e) { return matmul(e, weights); };
    const auto products = step(step(step(step(step(step(step(step(small))))))));
    ASSERT_EQ(rows_loop<avx512>(products).tile, 32u);
    EXPECT_FALSE(rows_loop<avx512>(products).overlaps);
    EXPECT_TRUE(rows_loop<avx2>(products).overlaps);
}
// Text and key counts know it.
TEST(settled_loops, are_explained) {
    EXPECT_TRUE(support::shows(rows_of<61>(), "for every 32 of 61 rows, some of them twice"));
    EXPECT_TRUE(support::shows(rows_of<60>(), "for every 32 of 60 rows, 28 at the end"));
}

TEST(settled_loops, tiles) {
    EXPECT_EQ(rows_loop(matmul(x<100, 64>(), x<64, 64>())).tile, 100u) << "one stage";
    EXPECT_EQ(rows_loop(exp(x<100, 64>())).tile, 100u);
    EXPECT_EQ(rows_loop(rows_of<100, 2>()).tile, 32u) << "a value of a tile between two stages";
    // Rows in lanes: the kernel's registers of rows are what a tile bounds.
    const auto turned = transpose(matmul(x<100, 64>(), transpose(x<200, 64>())));
    EXPECT_EQ(rows_loop<scalar>(matmul(x<100, 64>(), x<64, 64>())).tile, 100u);
    EXPECT_EQ(rows_loop(turned).tile, 32u);
    // A loop over heads inside the rows.
    const auto split = [](const auto& e) { return permute<1, 0, 2>(reshape<64, 8, 4>(e)); };
    const auto heads = [&] { return split(x<64, 32>()); };
    EXPECT_EQ(
        rows_loop(matmul(reshape<64, 32>(permute<1, 0, 2>(attention(heads(), heads(), heads()))), x<32, 32>())).tile,
        32u);
}

/// Bytes of what a reduction hands from one tile to the next; 0 if it does not.
template <class Config = avx512>
constexpr std::size_t state_of(const auto& e) {
    const auto& code = code_of<Config, decltype(e)>;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == detail::stage_kind::reduce && code.stages[s].second_buffer != detail::no_buffer)
            return code.buffers[code.stages[s].second_buffer].bytes;
    return 0;
}
TEST(settled_loops, state_of_reductions) {
    EXPECT_EQ(state_of(sum(x<50, 60>() * x<60>())), 0u) << "all rows in one tile";
    EXPECT_EQ(state_of(sum(x<3, 50, 60>() * x<60>())), detail::fold_state_bytes) << "one entry after the other";
    EXPECT_EQ(state_of(sum(matmul(x<50, 60>(), x<60, 8>()))), detail::fold_state_bytes) << "tiles of rows";
    EXPECT_EQ(state_of(sum(matmul(x<30, 60>(), x<60, 8>()))), 0u) << "one tile";
}

// What is made outside all loops is found there by a stage two loops further in.
TEST(settled_loops, scopes_outside_all_loops) {
    using lowest = decltype(min<1>(matmul(matmul(x<8, 8, 4>(), x<4, 15>()), x<15, 12>())));
    using turned = strided_view<float, std::array<std::ptrdiff_t, 2>{1, 8}, std::size_t{8}, std::size_t{12}>;
    EXPECT_GE((workspace_bytes_into<turned, lowest>), 8 * 8 * 12 * sizeof(float));
    // Nothing here is read with factors of its rows, in none of two plans of one expression.
    const auto factors = [](const auto& code) {
        std::size_t count = 0;
        for (const detail::node_read& read : code.reads) count += read.factors != detail::no_buffer;
        return count;
    };
    EXPECT_EQ(factors(code_of<current_config, lowest>), 0u);
    EXPECT_EQ(factors(detail::planned<lowest, current_config, detail::axis_list{1, 8}>::code), 0u);
}

}  // namespace
