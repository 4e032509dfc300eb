// SPDX-License-Identifier: BSL-1.0
// embedding, sinusoidal and learnt positions, against loops.
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/positions/positions.hpp>

#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

inline constexpr axis<"seq", 5> seq;
inline constexpr axis<"embed", 12> embed;

using words_type = nn::embedding<{.entries = 30, .size = embed}>;
static_assert(nn::module<words_type> && std::is_aggregate_v<words_type> &&
              sizeof(words_type) == 30 * 12 * sizeof(float));

words_type& words() {
    static words_type m{support::random_numbers(1).normal<float, 30, 12>()};
    return m;
}

}  // namespace

TEST(embedding, rows_of_tokens) {
    const words_type& m = words();
    const tensor<int, 2, seq> tokens{{0, 29, 7, 7, 3}, {1, 2, 3, 4, 5}};
    const tensor<float, 2, seq, embed> x = m(tokens);
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < 5; ++t)
            for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(x(b, t, i), m.weight(tokens(b, t), i));
    const tensor<float, 12> one = m(29) * 1.0f;
    EXPECT_EQ(one(11), m.weight(29, 11));
    // Other integers, and lazy ones.
    const tensor<float, 3, 12> y = m(tensor<std::uint8_t, 3>{3, 2, 1} + std::uint8_t(20));
    EXPECT_EQ(y(2, 4), m.weight(21, 4));
}

TEST(embedding, tied_scores) {
    const words_type& m = words();
    const auto y = support::random_numbers(2).normal<float, seq, 12>();
    const reference::array all = reference::matmul(reference::of(y), reference::transpose(reference::of(m.weight)));
    reference::expect_near(eval(m.scores(y)), all);
    reference::expect_near(eval(m.scores(y[4])), {{30}, {all.values.end() - 30, all.values.end()}});
}

TEST(positions, learnt) {
    static const nn::learned_positions<{.positions = 9, .size = 12}> places{
        support::random_numbers(3).normal<float, 9, 12>()};
    const auto x = support::random_numbers(4).normal<float, 2, seq, embed>();
    for (std::size_t first : {0u, 4u}) {
        const tensor<float, 2, seq, embed> y = places(x, first);
        for (std::size_t t = 0; t < 10; ++t)
            for (std::size_t i = 0; i < 12; ++i)
                ASSERT_EQ(y(t / 5, t % 5, i), x(t / 5, t % 5, i) + places.weight(first + t % 5, i));
    }
    const tensor<float, 12> row = places(x[1][2], 8);
    EXPECT_EQ(row(5), x(1, 2, 5) + places.weight(8, 5));
    const tensor<float, seq, 12> embedded = places(words()(tensor<int, 5>{1, 2, 3, 4, 5}));
    EXPECT_EQ(embedded(4, 0), words().weight(5, 0) + places.weight(4, 0));
}

namespace {

template <nn::sinusoidal_options Options, class T>
void check_sinusoidal(double tolerance) {
    constexpr auto& encode = nn::sinusoidal_table<Options, T>;
    constexpr std::size_t size = Options.size, positions = Options.positions;
    for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t i = 0; i < size; ++i) {
            const bool halves = Options.pairs == nn::pair_order::halves;
            const std::size_t pairs = (size + 1) / 2, pair = halves ? i % pairs : i / 2;
            const bool sine = halves ? i < pairs : i % 2 == 0;
            const double angle = static_cast<double>(p) *
                                 std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(size));
            ASSERT_NEAR(static_cast<double>(encode.table(p, i)), sine ? std::sin(angle) : std::cos(angle), tolerance)
                << p << " " << i;
        }
}

}  // namespace

TEST(positions, sinusoidal) {
    check_sinusoidal<{.positions = 300, .size = 64}, float>(3.1e-8);
    check_sinusoidal<{.positions = 300, .size = 7}, double>(1e-13);
    check_sinusoidal<{.positions = 20, .size = 9, .pairs = nn::pair_order::halves}, float>(3.1e-8);
    constexpr auto& encode = nn::sinusoidal_table<{.positions = 9, .size = 12}>;
    const auto x = support::random_numbers(4).normal<float, seq, embed>();
    const tensor<float, seq, embed> y = encode(x, 4);
    EXPECT_EQ(y(2, 3), x(2, 3) + encode.table(6, 3));
    static_assert(encode.table(0, 0) == 0 && encode.table(0, 1) == 1);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(positions_death, positions_are_asserted) {
    constexpr auto& encode = nn::sinusoidal_table<{.positions = 9, .size = 12}>;
    const tensor<float, 5, 12> x{};
    EXPECT_DEATH(static_cast<void>(encode(x, 5)), "outside the table");
    EXPECT_DEATH(static_cast<void>(encode(x[0], 9)), "outside the table");
}
#endif
