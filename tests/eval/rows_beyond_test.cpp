// SPDX-License-Identifier: BSL-1.0
// Rows behind `rows_below(n)` are computed with their tile and do no harm: indices of a table may be any numbers there,
// and divisors 0.
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;
using support::random_numbers;

const auto table = random_numbers(1).normal<float, 19, 24>();
const auto w = random_numbers(2).normal<float, 24, 24>(0, 0.2);
const tensor<int, 2> lengths{3, 18};

/// The first rows of each entry are those of all rows by tokens that are indices everywhere.
template <class Function>
void expect_rows_of(const Function& f) {
    const auto count = [](std::size_t b) { return static_cast<std::size_t>(lengths(b)); };
    static tensor<int, 2, 40> given, clean;
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t i = 0; i < 40; ++i) {
            clean(b, i) = static_cast<int>((b + 7 * i) % 19);
            given(b, i) = i % 2 == 0 ? -1 - static_cast<int>(i) : std::numeric_limits<int>::max();
            if (i < count(b)) given(b, i) = clean(b, i);
        }
    static tensor<float, 2, 40, 24> y;
    const auto whole = detail::constant_evaluate(f(clean));
    evaluate(y, f(given), rows_below(lengths));
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t i = 0; i < count(b); ++i)
            for (std::size_t c = 0; c < 24; ++c) ASSERT_NEAR(y(b, i, c), whole(b, i, c), 1e-5f) << b << ", " << i;
}

TEST(rows_beyond, indices_of_tables) {
    expect_rows_of([](const auto& tokens) { return take<0>(table, tokens); });
    expect_rows_of([](const auto& tokens) { return softmax(matmul(take<0>(table, tokens), w)); });
    expect_rows_of([](const auto& tokens) {
        return let(take<0>(table, tokens),
                   [](const auto& x) { return attention(x, matmul(x, w), x, keys_below(lengths)); });
    });
}

TEST(rows_beyond, divisors) {
    tensor<int, 40, 3> a{}, b{}, y{};
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            a(i, c) = static_cast<int>(17 * i + c);
            b(i, c) = static_cast<int>(c + 1);
        }
    evaluate(y, where(a > 0, a / b + a % b, 0), rows_below(5));
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(y(i, c), a(i, c) / b(i, c) + a(i, c) % b(i, c));
}

// An index of a requested row must be in the table.
#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(rows_beyond_death, indices_of_rows_that_are_asked_for) {
    tensor<int, 2, 40> tokens{};
    tokens(1, 4) = 19;
    tensor<float, 2, 40, 24> y;
    evaluate(y, take<0>(table, tokens), rows_below(tensor<int, 2>{40, 4}));
    EXPECT_DEATH(evaluate(y, take<0>(table, tokens), rows_below(tensor<int, 2>{0, 5})), "outside the table");
    EXPECT_DEATH(evaluate(y, matmul(take<0>(table, tokens), w), rows_below(5)), "outside the table");
}
#endif

}  // namespace
