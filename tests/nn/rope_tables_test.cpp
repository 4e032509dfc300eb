// SPDX-License-Identifier: BSL-1.0
// The tables of rotary encoding against libm, at compile time and at run time.
#include <cmath>

#include <gtest/gtest.h>

#include <ashlar/nn/positions/rope.hpp>

using namespace ashlar;
using nn::pair_order;

namespace {

constexpr auto quarter_turns = [] {
    constexpr auto& turn = nn::rope_tables<{.head_width = 2, .positions = 4}>;
    const tensor<float, 4, 2> x = full<float, 4, 2>(1);
    const tensor<float, 4, 2> y = turn(x);
    return y(1, 0);
}();
static_assert(quarter_turns > 0.5403023f - 0.8414710f - 1e-6f && quarter_turns < 0.5403023f - 0.8414710f + 1e-6f);

/// The angles of a position are p * base^(-i / pairs).
template <class Table>
void expect_rounded(const Table& table, std::size_t position, double p, std::size_t pairs, double base, double error) {
    for (std::size_t i = 0; i < pairs; ++i) {
        const double angle = p * std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
        ASSERT_NEAR(static_cast<double>(table.cosine(position, i)), std::cos(angle), error) << p << " " << i;
        ASSERT_NEAR(static_cast<double>(table.sine(position, i)), std::sin(angle), error) << p << " " << i;
    }
}

}  // namespace

TEST(rope_tables, tables_are_rounded_from_double) {
    constexpr auto& narrow = nn::rope_tables<{.head_width = 8, .positions = 512}>;
    constexpr auto& wide = nn::rope_tables<{.head_width = 64, .positions = 1024}>;
    static_assert(narrow.by_entry && !wide.by_entry && sizeof(wide) == 2 * 1024 * 32 * sizeof(float));
    static_assert(wide.cosine(0, 31) == 1 && wide.sine(0, 31) == 0 && narrow.cosine(0, 3) == 1);
    for (std::size_t p = 0; p < 1024; ++p) expect_rounded(wide, p, static_cast<double>(p), 32, 10000, 3.1e-8);
    for (std::size_t p = 0; p < 512; ++p) expect_rounded(narrow, p, static_cast<double>(p), 4, 10000, 3.1e-8);
}

TEST(rope_tables, angles_at_large_positions) {
    for (double x = -3; x < 900000; x = x * 1.0037 + 0.71) {
        const nn::detail::sine_cosine a = nn::detail::sine_and_cosine(x);
        ASSERT_NEAR(a.sine, std::sin(x), 3e-16) << x;
        ASSERT_NEAR(a.cosine, std::cos(x), 3e-16) << x;
    }
}

TEST(rope_tables, large_tables_are_made_at_run_time) {
    static nn::rope<{.head_width = 128, .positions = 32768, .pairs = pair_order::halves, .base = 1e6, .stretch = 4}>
        turn;
    turn.fill();
    for (std::size_t p : {0u, 1u, 63u, 64u, 12345u, 32767u})
        expect_rounded(turn, p, static_cast<double>(p) / 4, 64, 1e6, 3.2e-8);
}
