// SPDX-License-Identifier: BSL-1.0
// Rotary encoding: tables against libm, rotations against loops, offsets, partial widths, both orders of pairs.
#include <gtest/gtest.h>

#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/nn/positions/rope.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;
using nn::pair_order;

namespace {

inline constexpr axis<"seq", 7> seq;
inline constexpr axis<"head", 10> head;

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

template <nn::rope_options Options, class T = float>
void check_order() {
    constexpr auto& turn = nn::rope_tables<Options, T>;
    using rope = nn::rope<Options, T>;
    const double tolerance = sizeof(T) == 4 ? 1e-6 : 1e-13;
    support::random_numbers random(3);
    const auto x = random.normal<T, 3, 7, rope::head_width>();
    for (std::size_t first : {0u, 1u, 13u})
        reference::expect_near(eval(turn(x, first)),
                               rotated(reference::of(x), Options.pairs, rope::rotated, Options.base, from(first)),
                               tolerance);
    // Of a lazy value, and in place.
    auto y = x;
    y = turn(y * T(2), 5);
    reference::expect_near(
        y, rotated(reference::of(eval(x * T(2))), Options.pairs, rope::rotated, Options.base, from(5)), tolerance);
    auto z = x;
    z = turn(z, 5);
    reference::expect_near(z, rotated(reference::of(x), Options.pairs, rope::rotated, Options.base, from(5)),
                           tolerance);
    // One position for all.
    const auto all_at_11 = [](std::size_t, std::size_t) { return 11.0; };
    reference::expect_near(eval(turn.at(x, 11)),
                           rotated(reference::of(x), Options.pairs, rope::rotated, Options.base, all_at_11), tolerance);
}

}  // namespace

TEST(rope, orders_and_widths) {
    check_order<{.head_width = 10, .positions = 20}>();
    check_order<{.head_width = 10, .positions = 20, .pairs = pair_order::halves}>();
    check_order<{.head_width = 24, .positions = 20, .base = 500000}>();
    check_order<{.head_width = 24, .positions = 20, .pairs = pair_order::halves}, double>();
}
TEST(rope, partial_widths) {
    check_order<{.head_width = 10, .positions = 20, .rotated = 4}>();
    check_order<{.head_width = 10, .positions = 20, .rotated = 6, .pairs = pair_order::halves}>();
    check_order<{.head_width = 40, .positions = 20, .rotated = 20}>();
}

TEST(rope, positions_of_their_own) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 50}>;
    constexpr auto& halves = nn::rope_tables<{.head_width = 8, .positions = 50, .pairs = pair_order::halves}>;
    const auto x = support::random_numbers(4).normal<float, 2, 3, 4, 8>();  // batch, heads, rows
    const tensor<int, 2, 1, 4> at{{{5, 0, 49, 1}}, {{7, 8, 9, 10}}};
    const auto position = [&](std::size_t matrix, std::size_t t) { return static_cast<double>(at(matrix / 3, 0, t)); };
    reference::expect_near(eval(turn.at(x, at)), rotated(reference::of(x), pair_order::interleaved, 8, 10000, position),
                           1e-6);
    reference::expect_near(eval(halves.at(x, at)), rotated(reference::of(x), pair_order::halves, 8, 10000, position),
                           1e-6);
}

TEST(rope, tables_of_a_file) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 10, .positions = 20, .pairs = pair_order::halves}>;
    const auto x = support::random_numbers(5).normal<float, 2, 7, 10>();
    const tensor<float, 7, 5> c = generate<float, 7, 5>([&](auto t, auto i) { return turn.cosine(t + 2, i); });
    const tensor<float, 7, 5> s = generate<float, 7, 5>([&](auto t, auto i) { return turn.sine(t + 2, i); });
    reference::expect_near(eval(nn::rotate<pair_order::halves>(x, c, s)),
                           rotated(reference::of(x), pair_order::halves, 10, 10000, from(2)));
    reference::expect_near(eval(nn::rotate<pair_order::interleaved>(x * 1.0f, c, s)),
                           rotated(reference::of(x), pair_order::interleaved, 10, 10000, from(2)));
    // Fewer columns rotate fewer entries.
    reference::expect_near(eval(nn::rotate<pair_order::halves>(x, slice<1, 0, 5, 2>(c), slice<1, 0, 5, 2>(s))),
                           rotated(reference::of(x), pair_order::halves, 6, std::pow(10000.0, 1.2), from(2)));
}

TEST(rope, scores_depend_on_distances_only) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 10, .positions = 64}>;
    support::random_numbers random(6);
    const auto q = random.normal<float, seq, head>();
    const auto k = random.normal<float, 7, head>();
    const tensor<float, 7, 7> near = matmul(turn(q, 3), transpose(turn(k, 1))),
                              far = matmul(turn(q, 43), transpose(turn(k, 41)));
    reference::expect_near(near, reference::of(far), 1e-5);
    static_assert(std::is_same_v<shape_of<decltype(turn(q))>, shape<seq, head>>);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(rope_death, positions_are_asserted) {
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 50}>;
    const tensor<float, 4, 8> x{};
    EXPECT_DEATH(static_cast<void>(turn(x, 47)), "outside the tables");
    EXPECT_DEATH(static_cast<void>(turn.at(x, 50)), "outside the tables");
}
#endif
