// SPDX-License-Identifier: BSL-1.0
// Rotary encoding: tables against libm, rotations against loops, offsets, partial widths, both orders of pairs.
#include <gtest/gtest.h>

#include <ashlar/nn/positions/rope.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;
using nn::pair_order;

namespace {

inline constexpr axis<"seq", 7> seq;
inline constexpr axis<"head", 10> head;
static_assert(std::is_same_v<shape_of<decltype(nn::rope_tables<{.head_width = 10, .positions = 64}>(
                                 std::declval<const tensor<float, seq, head>&>()))>,
                             shape<seq, head>>);

/// Rows [..., T, width] of an array, the one at row t standing at position(batch, t).
template <class Position>
reference::array rotated(const reference::array& x, pair_order order, std::size_t width, double base,
                         Position position) {
    reference::array result = x;
    const std::size_t columns = x.from_last(0), rows = x.from_last(1);
    for (std::size_t r = 0; r < x.size() / columns; ++r)
        for (std::size_t i = 0; i < width / 2; ++i) {
            const double angle = position(r / rows, r % rows) *
                                 std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
            const std::size_t a = r * columns + (order == pair_order::halves ? i : 2 * i);
            const std::size_t b = order == pair_order::halves ? a + width / 2 : a + 1;
            result.values[a] = x.values[a] * std::cos(angle) - x.values[b] * std::sin(angle);
            result.values[b] = x.values[a] * std::sin(angle) + x.values[b] * std::cos(angle);
        }
    return result;
}
auto from(std::size_t first) {
    return [=](std::size_t, std::size_t t) { return static_cast<double>(first + t); };
}

/// With `All`, also of a lazy value, in place, and at one position for all rows.
template <nn::rope_options Options, class T = float, bool All = false>
void check_order() {
    constexpr auto& turn = nn::rope_tables<Options, T>;
    using rope = nn::rope<Options, T>;
    const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-13;
    const auto x = support::random_numbers(3).normal<T, 3, 7, rope::head_width>();
    const auto expected = [&](auto position) {
        return rotated(reference::of(x), Options.pairs, rope::rotated, Options.base, position);
    };
    for (std::size_t first : {0u, 1u, 13u}) {
        auto y = x;
        y = turn(y, first);
        reference::expect_near(y, expected(from(first)), tolerance);
    }
    if constexpr (All) {
        auto half = x;
        for (T& e : half) e /= 2;
        half = turn(half * T(2), 5);
        reference::expect_near(half, expected(from(5)), tolerance);
        reference::expect_near(eval(turn.at(x, 11)), expected([](std::size_t, std::size_t) { return 11.0; }),
                               tolerance);
    }
}

}  // namespace

TEST(rope, orders_and_widths) {
    check_order<{.head_width = 10, .positions = 20}, float, true>();
    check_order<{.head_width = 10, .positions = 20, .pairs = pair_order::halves}, float, true>();
    check_order<{.head_width = 24, .positions = 20, .base = 500000}>();
    check_order<{.head_width = 24, .positions = 20, .pairs = pair_order::halves}, double>();
}
TEST(rope, partial_widths) {
    check_order<{.head_width = 10, .positions = 20, .rotated = 6, .pairs = pair_order::halves}>();
    check_order<{.head_width = 40, .positions = 20, .rotated = 20}>();
}

TEST(rope, positions_of_their_own) {
    const auto x = support::random_numbers(4).normal<float, 2, 3, 4, 8>();  // batch, heads, rows
    const tensor<int, 2, 1, 4> at{{{5, 0, 49, 1}}, {{7, 8, 9, 10}}};
    const auto position = [&](std::size_t matrix, std::size_t t) { return static_cast<double>(at(matrix / 3, 0, t)); };
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 50, .pairs = pair_order::halves}>;
    reference::expect_near(eval(turn.at(x, at)), rotated(reference::of(x), pair_order::halves, 8, 10000, position),
                           1e-6);
}

TEST(rope, tables_of_a_file) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 10, .positions = 20, .pairs = pair_order::halves}>;
    const auto x = support::random_numbers(5).normal<float, 2, 7, 10>();
    tensor<float, 7, 5> c, s;
    for (std::size_t t = 0; t < 7; ++t)
        for (std::size_t i = 0; i < 5; ++i) {
            c(t, i) = turn.cosine(t + 2, i);
            s(t, i) = turn.sine(t + 2, i);
        }
    reference::expect_near(eval(nn::rotate<pair_order::interleaved>(x * 1.0f, c, s)),
                           rotated(reference::of(x), pair_order::interleaved, 10, 10000, from(2)));
    // Fewer columns rotate fewer entries.
    reference::expect_near(eval(nn::rotate<pair_order::halves>(x, slice<1, 0, 5, 2>(c), slice<1, 0, 5, 2>(s))),
                           rotated(reference::of(x), pair_order::halves, 6, std::pow(10000.0, 1.2), from(2)));
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(rope_death, positions_are_asserted) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 50}>;
    const tensor<float, 4, 8> x{};
    EXPECT_DEATH(static_cast<void>(turn(x, 47)), "outside the tables");
    EXPECT_DEATH(static_cast<void>(turn.at(x, 50)), "outside the tables");
}
#endif
