// SPDX-License-Identifier: BSL-1.0
// Which operands products read in place, and which are copied first: flipped ones, and those with other lines than the
// product.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::lane_axis;
using support::copies, support::x;

/// The lanes of the only product of an expression.
template <class Config = avx512>
constexpr lane_axis lanes(const auto& e) {
    return support::stage_of<Config>(e, support::stage_kind::product).lanes;
}

TEST(operand_copies, flipped_left_operands) {
    EXPECT_EQ(copies(matmul(x<20, 24>(), x<24, 32>())), 0u);
    EXPECT_EQ(copies(matmul(flip<0>(x<20, 24>()), x<24, 32>())), 1u);
    EXPECT_EQ(copies(matmul(flip<1>(x<20, 24>()), x<24, 32>())), 1u);
    EXPECT_EQ(copies(matmul(transpose(x<24, 20>()), x<24, 32>())), 0u) << "columns count upwards";
    EXPECT_EQ(copies(matmul(flip<0>(x<3, 20, 24>()), x<24, 32>())), 0u) << "a batch may run backwards";
}
TEST(operand_copies, flipped_right_operands) {
    EXPECT_EQ(copies(matmul(x<20, 24>(), flip<0>(x<24, 32>()))), 1u);
    EXPECT_EQ(copies(matmul(x<20, 1>(), flip<0>(x<1, 32>()))), 0u) << "one entry";
    EXPECT_EQ(copies(matmul(x<3, 20, 24>(), flip<0>(x<3, 24, 32>()))), 0u);
    EXPECT_EQ(copies(matmul(x<1, 24>(), transpose(flip<1>(x<32, 24>())))), 1u) << "the depth runs backwards";
    EXPECT_EQ(copies(matmul(x<1, 24>(), transpose(flip<0>(x<32, 24>())))), 1u) << "so do the columns";
}
// Depth steps of few rows side by side are read upwards, too.
TEST(operand_copies, flipped_rows_of_packed_depth) {
    const auto scores = [](const auto& q, const auto& k) { return softmax(matmul(q, transpose(k))); };
    EXPECT_EQ(copies(scores(x<4, 64>(), x<50, 64>())), 0u);
    EXPECT_EQ(copies(scores(flip<1>(x<4, 64>()), x<50, 64>())), 1u);
}

// A column-major right operand is copied if transposing the left operand and the result is more work.
TEST(operand_copies, transposed_right_operands) {
    EXPECT_EQ(copies<avx2>(matmul(x<64, 64>(), transpose(x<64, 64>()))), 1u);
    EXPECT_EQ(lanes<avx2>(matmul(x<64, 64>(), transpose(x<64, 64>()))), lane_axis::columns);
    EXPECT_EQ(lanes<avx2>(matmul(x<8, 64>(), transpose(x<64, 64>()))), lane_axis::rows) << "few rows";
    EXPECT_EQ(lanes<avx2>(matmul(x<1000, 64>(), transpose(x<257, 64>()))), lane_axis::rows) << "more than 64 KiB";
    EXPECT_EQ(lanes(softmax(matmul(x<64, 64>(), transpose(x<64, 64>())))), lane_axis::rows) << "the result may stay";
    EXPECT_EQ(lanes(matmul(x<1, 64>(), transpose(x<64, 64>()))), lane_axis::depth) << "one row";
    EXPECT_EQ(lanes(softmax(matmul(x<8, 63>(), transpose(x<50, 63>())))), lane_axis::depth)
        << "half a register of rows";
    EXPECT_EQ(lanes(softmax(matmul(x<9, 63>(), transpose(x<50, 63>())))), lane_axis::rows);
}
// Excluded zeros keep rows of the right operand out of the sums with columns in lanes only.
TEST(operand_copies, excluded_zeros) {
    const auto weights = masked(x<64, 64>(), causal);
    const auto product = matmul(softmax(weights), transpose(x<20, 64>()));
    EXPECT_EQ(lanes<avx2>(product), lane_axis::columns);
    EXPECT_EQ(lanes<avx2>(softmax(product)), lane_axis::columns);
}
// A copy of weights has been multiplied by the factors of its rows.
TEST(operand_copies, weights_without_factors) {
    const auto product = softmax(matmul(softmax(x<32, 64>()), transpose(x<48, 64>())));
    using plan = detail::planned<std::remove_cvref_t<decltype(product)>, avx512>;
    ASSERT_EQ(lanes(product), lane_axis::rows);
    for (const auto& stage : plan::code.stages)
        if (stage.kind == detail::stage_kind::product) {
            for (detail::node_index n{}; n < plan::count; ++n)
                EXPECT_EQ(plan::code.read_of(stage, n).factors, detail::no_buffer);
        }
    EXPECT_TRUE(support::shows(product, " = matmul(t3, b)"));
}
// Weights whose rows are in lanes leave them there where the columns of values would leave lanes idle.
TEST(operand_copies, narrow_values) {
    const auto attend = [](auto columns) {
        const auto weights = softmax(matmul(x<64, 64>(), transpose(x<64, 64>())));
        return detail::planned<decltype(matmul(weights, x<64, decltype(columns)::value>())), avx512>::code.stages[3]
            .lanes;
    };
    EXPECT_EQ(attend(std::integral_constant<std::size_t, 4>{}), lane_axis::rows);
    EXPECT_EQ(attend(std::integral_constant<std::size_t, 16>{}), lane_axis::columns);
}

/// Columns of a tile of scores that are transposed on their way to the destination; all of them if there are no tiles.
template <class Config = avx512>
constexpr std::size_t column_tile(const auto& e) {
    for (const detail::plan_loop& loop : detail::planned<std::remove_cvref_t<decltype(e)>, Config>::code.loops)
        if (loop.columns) return loop.tile;
    return 0;
}
TEST(operand_copies, tiles_of_columns) {
    const auto scores = [](auto columns) { return matmul(x<32, 64>(), transpose(x<decltype(columns)::value, 64>())); };
    const auto many = scores(std::integral_constant<std::size_t, 1000>{});
    EXPECT_EQ(column_tile(many), 128u) << "16 KiB of 32 rows";
    EXPECT_EQ(column_tile(scores(std::integral_constant<std::size_t, 256>{})), 0u) << "two tiles";
    EXPECT_NE(column_tile(scores(std::integral_constant<std::size_t, 272>{})), 0u);
    EXPECT_EQ(column_tile(softmax(many)), 0u) << "all of a row is needed";
    EXPECT_EQ(column_tile(masked(many, keys_below(10))), 0u) << "blocks may be left out";
    EXPECT_EQ(column_tile(transpose(many)), 0u) << "it is not transposed";
}

}  // namespace
