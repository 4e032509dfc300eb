// SPDX-License-Identifier: BSL-1.0
// Plans for machines other than the one that compiles: one compiler makes all of them. Lanes:
// kernel/machine_lanes_test.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::copies, support::x;

// Numbers of rows in lanes end at a full register.
TEST(machines, pad_to_their_registers) {
    using rows3 = decltype(attention(x<3, 8>(), x<5, 8>(), x<5, 8>(), causal));
    static_assert(plan<rows3, avx512>.steps[0].scratch_bytes > plan<rows3, avx2>.steps[0].scratch_bytes);
    static_assert(workspace_bytes<rows3, 1, avx512> == support::code_of<avx512, rows3>.scratch_bytes);
}

// Four rows leave lanes for several of their depth steps side by side in registers of eight and more, which takes no
// copy of them; in smaller ones rows are copied into lanes, and one lane needs no copy.
TEST(machines, take_few_rows_by_their_lanes) {
    const auto e = attention(x<4, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_EQ(copies<avx512>(e) + copies<avx2>(e) + copies<scalar>(e), 0u);
    EXPECT_EQ(copies<sse2>(e), 1u);
}

// Rows that fill a register are turned in it where that needs no way through memory.
TEST(machines, turn_whole_registers_where_they_shuffle) {
    const auto e = attention(x<8, 4>(), x<8, 4>(), x<8, 16>());
    EXPECT_EQ(copies<avx2>(e), 0u);
    EXPECT_EQ(copies<emulated256>(e), 1u);
    EXPECT_EQ(copies<sve256>(e), 1u);
}

TEST(machines, are_explained) {
    const auto e = attention(x<64, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_TRUE(support::shows<avx512>(e, "16 lanes"));
    EXPECT_TRUE(support::shows<scalar>(e, "1 lane\n"));
}

}  // namespace
