// SPDX-License-Identifier: BSL-1.0
// Lanes that hold no element: no division, user's function, predicate or index sees a value that is in no tensor.
#include <cstddef>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

namespace {

constexpr std::size_t w = lane_width<std::int32_t>;

/// Calls test.operator()<n>() for sizes around the end of a register.
template <class Test>
void for_sizes(Test test) {
    test.template operator()<1>();
    test.template operator()<w + 1>();
    test.template operator()<w == 1 ? 3 : w - 1>();
    test.template operator()<2 * w + 3>();
}

template <class T, std::size_t N>
tensor<T, N> divisors() {
    return generate<T, N>([](std::size_t i) { return static_cast<T>(i % 7 + 1); });
}
template <class T, std::size_t N>
tensor<T, N> dividends() {
    return generate<T, N>([](std::size_t i) { return static_cast<T>(40 + 3 * i); });
}

template <class T>
void divides() {
    for_sizes([]<std::size_t N>() {
        static tensor<T, N> a = dividends<T, N>(), b = divisors<T, N>(), c, d;
        c = a / b;
        d = a % b;
        for (std::size_t i = 0; i < N; ++i) {
            EXPECT_EQ(c(i), static_cast<T>(a(i) / b(i))) << N;
            EXPECT_EQ(d(i), static_cast<T>(a(i) % b(i))) << N;
        }
    });
}

TEST(IdleLanes, AreNotDividedByZero) {
    divides<std::int32_t>();
    divides<std::uint32_t>();
    divides<std::int64_t>();
    divides<std::uint64_t>();
    divides<std::int16_t>();
    divides<std::uint16_t>();
    divides<std::int8_t>();
    divides<std::uint8_t>();
}

TEST(IdleLanes, AreNotDividedByZeroInAnyLayout) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, 3, N> a, b, c;
        static tensor<int, N, 3> turned, out;
        static tensor<int, 3, 2 * N> wide;
        static tensor<int, N> row = divisors<int, N>();
        static tensor<int, 3, 1> column{{7}, {2}, {5}};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < N; ++j) {
                a(i, j) = static_cast<int>(100 * i + j);
                b(i, j) = turned(j, i) = wide(i, 2 * j) = static_cast<int>(j % 5 + i + 1);
                wide(i, 2 * j + 1) = 0;
            }
        const auto expect = [&](auto divisor) {
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < N; ++j) EXPECT_EQ(c(i, j), a(i, j) / divisor(i, j)) << N;
        };
        const auto element = [](std::size_t i, std::size_t j) { return static_cast<int>(j % 5 + i + 1); };
        c = a / b;
        expect(element);
        c = a / transpose(turned);
        expect(element);
        c = a / slice<1, 0, 2 * N, 2>(wide);
        expect(element);
        c = a / row;
        expect([](std::size_t, std::size_t j) { return row(j); });
        c = a / column;
        expect([](std::size_t i, std::size_t) { return column(i, 0); });
        c = a / (b * 1);
        expect(element);
        c = a / (index<1>(a) + 1);
        expect([](std::size_t, std::size_t j) { return static_cast<int>(j + 1); });
        c = let(b + 0, [](const auto& y) { return a / y; });
        expect(element);
        out = transpose(a) / turned;
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < N; ++j) EXPECT_EQ(out(j, i), a(i, j) / turned(j, i));
        static tensor<int, 3> sums;
        sums = sum<1>(a / b);
        for (std::size_t i = 0; i < 3; ++i) {
            int expected = 0;
            for (std::size_t j = 0; j < N; ++j) expected += a(i, j) / b(i, j);
            EXPECT_EQ(sums(i), expected);
        }
        static tensor<int, N> by_column;
        by_column = sum<0>(a / b);
        EXPECT_EQ(by_column(0), a(0, 0) / b(0, 0) + a(1, 0) / b(1, 0) + a(2, 0) / b(2, 0));
    });
}

TEST(IdleLanes, OfProductsAreNotDividedBy) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, 3, 4> left;
        static tensor<int, 4, N> right;
        static tensor<int, N, 4> tall;
        static tensor<int, 3, N> c;
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t i = 0; i < 3; ++i) left(i, k) = static_cast<int>(i + k + 1);
            for (std::size_t j = 0; j < N; ++j) right(k, j) = tall(j, k) = static_cast<int>(j % 3 + 1);
        }
        const auto expect = [&] {
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < N; ++j)
                    EXPECT_EQ(c(i, j), 1000 / static_cast<int>((4 * i + 10) * (j % 3 + 1))) << N;
        };
        c = 1000 / matmul(left, right);
        expect();
        c = 1000 / matmul(left, transpose(tall));
        expect();
        static tensor<int, N, 3> turned;
        turned = 1000 / matmul(tall, transpose(left));
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < N; ++j)
                EXPECT_EQ(turned(j, i), 1000 / static_cast<int>((4 * i + 10) * (j % 3 + 1)));
    });
}

TEST(IdleLanes, DoNotOverflowADivision) {
    for_sizes([]<std::size_t N>() {
        // No divisor is -1, and no lane may make one.
        static tensor<int, N> a = full<int, N>(std::numeric_limits<int>::min()), c;
        static tensor<std::int64_t, N> b = full<std::int64_t, N>(2);
        c = a / cast<int>(b);
        EXPECT_EQ(c(N - 1), std::numeric_limits<int>::min() / 2);
    });
}

/// The elements that functions below may be called with are 10 to 10 + N - 1.
template <std::size_t N>
tensor<int, N> numbers() {
    return generate<int, N>([](std::size_t i) { return static_cast<int>(10 + i); });
}

int calls = 0;

TEST(IdleLanes, AreNotGivenToAFunctionOfElements) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, N> x = numbers<N>(), y;
        calls = 0;
        y = map(
            [](int v) {
                ++calls;
                EXPECT_TRUE(v >= 10 && v < 10 + static_cast<int>(N)) << v;
                return v + 1;
            },
            x);
        EXPECT_EQ(y(N - 1), static_cast<int>(10 + N));
        EXPECT_EQ(calls, static_cast<int>(N));
    });
}

TEST(IdleLanes, HoldElementsWhereAFunctionTakesLanes) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, N> x = numbers<N>(), y;
        static tensor<bool, N> flags = full<bool, N>(true);
        y = map(
            [](auto v, auto flag, auto i) {
                for (std::size_t l = 0; l < decltype(v)::size; ++l) {
                    EXPECT_TRUE(v[l] >= 10 && v[l] < 10 + static_cast<int>(N)) << v[l];
                    EXPECT_EQ(i[l], v[l] - 10);
                    EXPECT_TRUE(flag[l]);
                }
                return v;
            },
            x, flags, index<0>(x));
        EXPECT_EQ(y(N - 1), x(N - 1));
    });
}

TEST(IdleLanes, HoldElementsOfWhatIsGatheredOrConverted) {
    for_sizes([]<std::size_t N>() {
        static tensor<float, N> table = generate<float, N>([](std::size_t i) { return static_cast<float>(i) + 1.0f; });
        static tensor<int, N> order = generate<int, N>([](std::size_t i) { return static_cast<int>(N - 1 - i); });
        static tensor<int, N> y;
        const auto check = [](auto v) {
            for (std::size_t l = 0; l < decltype(v)::size; ++l)
                EXPECT_TRUE(v[l] >= 1 && v[l] <= static_cast<int>(N)) << v[l];
            return v;
        };
        y = map(check, cast<int>(take<0>(table, order)));
        EXPECT_EQ(y(0), static_cast<int>(N));
        y = map(check, cast<int>(slice<0, N - 1, -static_cast<std::ptrdiff_t>(N) - 1, -1>(table)));
        EXPECT_EQ(y(0), static_cast<int>(N));
    });
}

TEST(IdleLanes, OfScoresHoldScores) {
    for_sizes([]<std::size_t N>() {
        static tensor<float, 3, 4> q = full<float, 3, 4>(0.5f);
        static tensor<float, N, 4> k = full<float, N, 4>(0.25f), v = full<float, N, 4>(2.0f);
        static tensor<float, 3, 4> y;
        const auto check = [](auto s) {
            for (std::size_t l = 0; l < decltype(s)::size; ++l) EXPECT_FLOAT_EQ(s[l], 0.5f);
            return s;
        };
        y = matmul(softmax(map(check, matmul(q, transpose(k)))), v);
        EXPECT_FLOAT_EQ(y(2, 3), 2.0f);
        const auto modify = [](auto s, auto query, auto key) {
            for (std::size_t l = 0; l < decltype(s)::size; ++l) {
                EXPECT_FLOAT_EQ(s[l], 0.5f);
                EXPECT_TRUE(query[l] >= 0 && query[l] < 3 && key[l] >= 0 && key[l] < static_cast<float>(N));
            }
            return s;
        };
        y = attention(q, k, v, scale(1.0f), score_mod(modify));
        EXPECT_FLOAT_EQ(y(2, 3), 2.0f);
        static tensor<float, N, 4> many;
        many = attention(k, q, full<float, 3, 4>(1.0f), scale(1.0f), score_mod([](auto s, auto query, auto key) {
                             for (std::size_t l = 0; l < decltype(s)::size; ++l)
                                 EXPECT_TRUE(query[l] >= 0 && query[l] < static_cast<float>(N) && key[l] >= 0 &&
                                             key[l] < 3);
                             return s;
                         }));
        EXPECT_FLOAT_EQ(many(N - 1, 3), 1.0f);
    });
}

TEST(IdleLanes, AreNotAskedOfAPredicate) {
    static tensor<float, 3, 5> s = full<float, 3, 5>(1.0f), y;
    y = softmax(masked(s, keep_if([](std::size_t query, std::size_t key) {
                           constexpr bool table[3][5] = {
                               {true, false, true, false, true}, {true, true, true, true, true}, {true}};
                           return table[query][key];
                       })));
    EXPECT_FLOAT_EQ(y(0, 2), 1.0f / 3.0f);
    EXPECT_FLOAT_EQ(y(1, 4), 0.2f);
    EXPECT_FLOAT_EQ(y(2, 0), 1.0f);
}

}  // namespace
