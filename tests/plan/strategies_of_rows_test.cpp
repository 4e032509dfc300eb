// SPDX-License-Identifier: BSL-1.0
// How stages that fold rows run, as plans for several machines have it.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using detail::row_form;
using support::x;

/// How the first stage that folds rows runs.
template <class Config = avx512>
constexpr detail::row_strategy rows_of(const auto& e, std::size_t tile = detail::full_tile) {
    const auto& code = detail::planned<std::remove_cvref_t<decltype(e)>, Config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind != detail::stage_kind::map && code.stages[s].kind != detail::stage_kind::product)
            return code.stages[s].how[tile].rows;
    return {};
}

TEST(strategies_of_rows, together) {
    EXPECT_EQ(rows_of<avx512>(softmax(x<50, 33>())).together, 4);
    EXPECT_EQ(rows_of<avx2>(softmax(x<50, 33>())).together, 2);
    EXPECT_EQ(rows_of<scalar>(softmax(x<50, 33>())).together, 1) << "one lane";
    EXPECT_EQ(rows_of(softmax(x<50, 512>())).together, 4);
    EXPECT_EQ(rows_of(softmax(x<50, 513>())).together, 1) << "rows of more than 2 KiB";
    EXPECT_EQ(rows_of(layer_norm(x<50, 48>(), x<48>(), x<48>(), 1e-5f)).together, 4);
    EXPECT_EQ(rows_of(sum<1>(x<50, 48>())).together, 1) << "reductions walk row by row";
}

TEST(strategies_of_rows, sums_in_flight) {
    const auto norm = layer_norm(x<50, 48>(), x<48>(), x<48>(), 1e-5f);
    EXPECT_EQ(rows_of<avx512>(norm).sums, 8);
    EXPECT_EQ(rows_of<avx2>(norm).sums, 8);
    EXPECT_EQ(rows_of<i386>(norm).sums, 4);
    const auto weights = attention(x<64, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_EQ(rows_of<avx512>(weights).sums, 2);
    EXPECT_EQ(rows_of<avx2>(weights).sums, 1) << "registers hold the constants of exponentials";
}

// Numerators that replace scores are read and written by one address, where one sum of them is in flight.
TEST(strategies_of_rows, one_address) {
    const auto weights = attention(x<64, 64>(), x<64, 64>(), x<64, 64>(), causal);
    EXPECT_TRUE(rows_of<avx2>(weights).one_address);
    EXPECT_TRUE(rows_of<sse2>(weights).one_address);
    EXPECT_FALSE(rows_of<avx512>(weights).one_address) << "two sums";
    EXPECT_FALSE(rows_of<avx2>(softmax<0>(x<64, 64>())).one_address) << "the operand stays";
}

/// Whether the numerators of the first softmax overwrite its scores.
bool replaces_scores(const auto& e) {
    const auto& code = detail::planned<std::remove_cvref_t<decltype(e)>, avx512>::code;
    for (detail::buffer_index b{}; b < code.buffer_count; ++b)
        if (code.buffers[b].role == detail::buffer_role::numerators) return code.buffers[b].storage != b;
    return false;
}

// With rows in lanes numerators take the place of the scores.
TEST(strategies_of_rows, rows_in_lanes) {
    const auto weights = attention(x<64, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_EQ(rows_of(weights).form, row_form::rows_in_lanes);
    EXPECT_TRUE(rows_of(weights).whole_lines && replaces_scores(weights));
    EXPECT_FALSE(replaces_scores(softmax(x<50, 33>()))) << "what is read is an operand";
    EXPECT_EQ(rows_of(softmax(x<50, 33>())).form, row_form::columns_in_lanes);
    EXPECT_FALSE(replaces_scores(log_softmax(matmul(x<64, 64>(), transpose(x<64, 64>()))))) << "no numerators";
}

// Few rows: several columns of them are one register.
TEST(strategies_of_rows, groups_of_columns) {
    const auto four = attention(x<4, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_EQ(rows_of<avx512>(four).form, row_form::groups_of_columns);
    EXPECT_EQ(rows_of<avx2>(four).form, row_form::groups_of_columns);
    EXPECT_EQ(rows_of<sse2>(four).form, row_form::rows_in_lanes) << "four rows fill a register of four";
    const auto nine = attention(x<9, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_EQ(rows_of<avx512>(nine).form, row_form::rows_in_lanes) << "more than half a register";
}

// The rows that are left behind full registers leave most lanes idle: parts of several columns are put together.
TEST(strategies_of_rows, joined_columns) {
    const auto rest = [](auto rows) { return attention(x<decltype(rows)::value, 64>(), x<64, 64>(), x<64, 64>()); };
    const auto few_left = rest(std::integral_constant<std::size_t, 35>{});
    EXPECT_EQ(rows_of(few_left, detail::last_tile).joined_lanes, 4);
    EXPECT_EQ(rows_of(few_left, detail::full_tile).joined_lanes, 0) << "its registers are full";
    EXPECT_EQ(rows_of<emulated256>(few_left, detail::last_tile).joined_lanes, 0) << "no shuffles";
    EXPECT_EQ(rows_of<sse2>(few_left, detail::last_tile).joined_lanes, 0) << "a part is a whole register there";
    const auto many_left = rest(std::integral_constant<std::size_t, 43>{});
    EXPECT_EQ(rows_of(many_left, detail::last_tile).joined_lanes, 0) << "more than half a register is left";
}

// All reduced elements are in one line.
TEST(strategies_of_rows, one_row) {
    EXPECT_EQ(rows_of(sum(x<50, 33>() * x<50, 33>())).form, row_form::one_row);
    EXPECT_NE(rows_of(sum(x<50, 33>() * x<33>())).form, row_form::one_row) << "an operand is read again in each row";
    EXPECT_NE(rows_of(sum(slice<1, 0, 30>(x<50, 33>()) * 2.0f)).form, row_form::one_row) << "gaps between rows";
}

}  // namespace
