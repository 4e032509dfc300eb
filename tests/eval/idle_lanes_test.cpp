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

/// Calls test.operator()<n>() for a size without a whole register, and for one that ends in another register.
template <class Test>
void for_sizes(Test test) {
    test.template operator()<w == 1 ? 3 : w - 1>();
    test.template operator()<w + 1>();
}

template <class T, std::size_t N>
void divides() {
    static tensor<T, N> a = generate<T, N>([](std::size_t i) { return static_cast<T>(40 + 3 * i); }),
                        b = generate<T, N>([](std::size_t i) { return static_cast<T>(i % 7 + 1); }), c;
    c = a / b * T(16) + a % b;
    for (std::size_t i = 0; i < N; ++i) EXPECT_EQ(c(i), static_cast<T>(a(i) / b(i) * 16 + a(i) % b(i))) << N;
}

TEST(IdleLanes, AreNotDividedByZero) {
    divides<std::int32_t, 1>();
    divides<std::int32_t, 2 * w + 3>();
    for_sizes([]<std::size_t N>() { divides<std::int32_t, N>(); });
    divides<std::uint32_t, w + 1>();
    divides<std::int64_t, w + 1>();
    divides<std::uint64_t, w + 1>();
    divides<std::int16_t, w + 1>();
    divides<std::uint16_t, w + 1>();
    divides<std::int8_t, w + 1>();
    divides<std::uint8_t, w + 1>();
}

/// Whether element (i, j) of rows of so many elements is expected(i, j).
[[gnu::noinline]] void expect_elements(const int* found, std::size_t rows, std::size_t columns,
                                       int (*expected)(int i, int j)) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            EXPECT_EQ(found[i * columns + j], expected(static_cast<int>(i), static_cast<int>(j))) << columns;
}

TEST(IdleLanes, AreNotDividedByZeroInAnyLayout) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, 3, N> a, b, c;
        static tensor<int, N, 3> turned, out;
        static tensor<int, 3, 2 * N> wide;
        static tensor<int, N> row = generate<int, N>([](std::size_t j) { return static_cast<int>(j % 7 + 1); });
        static tensor<int, 3, 1> column{{7}, {6}, {5}};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < N; ++j) {
                a(i, j) = static_cast<int>(100 * i + j);
                b(i, j) = turned(j, i) = wide(i, 2 * j) = static_cast<int>(j % 5 + i + 1);
                wide(i, 2 * j + 1) = 0;
            }
        const auto expect = [&](int (*expected)(int, int)) { expect_elements(c.data(), 3, N, expected); };
        const auto element = [](int i, int j) { return (100 * i + j) / (j % 5 + i + 1); };
        c = a / b;
        expect(element);
        c = a / transpose(turned);
        expect(element);
        c = a / slice<1, 0, 2 * N, 2>(wide);
        expect(element);
        c = a / row;
        expect([](int i, int j) { return (100 * i + j) / (j % 7 + 1); });
        c = a / column;
        expect([](int i, int j) { return (100 * i + j) / (7 - i); });
        c = a / (b * 1);
        expect(element);
        c = a / (index<1>(a) + 1);
        expect([](int i, int j) { return (100 * i + j) / (j + 1); });
        c = let(b + 0, [](const auto& y) { return a / y; });
        expect(element);
        out = transpose(a) / turned;
        expect_elements(out.data(), N, 3, [](int j, int i) { return (100 * i + j) / (j % 5 + i + 1); });
        static tensor<int, 3> sums;
        static tensor<int, N> by_column;
        sums = sum<1>(a / b);
        by_column = sum<0>(a / b);
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < N; ++j) {
                sums(i) -= a(i, j) / b(i, j);
                by_column(j) -= a(i, j) / b(i, j);
            }
        EXPECT_TRUE(all(sums == 0) && all(by_column == 0));
    });
}

TEST(IdleLanes, OfProductsAreNotDividedBy) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, 3, 4> left;
        static tensor<int, 4, N> right;
        static tensor<int, N, 4> tall;
        for (std::size_t k = 0; k < 4; ++k) {
            for (std::size_t i = 0; i < 3; ++i) left(i, k) = static_cast<int>(i + k + 1);
            for (std::size_t j = 0; j < N; ++j) right(k, j) = tall(j, k) = static_cast<int>(j % 3 + 1);
        }
        const auto element = [](int i, int j) { return 1000 / ((4 * i + 10) * (j % 3 + 1)); };
        static tensor<int, 3, N> c;
        c = 1000 / matmul(left, right);
        expect_elements(c.data(), 3, N, element);
        c = 1000 / matmul(left, transpose(tall));
        expect_elements(c.data(), 3, N, element);
        static tensor<int, N, 3> turned;
        turned = 1000 / matmul(tall, transpose(left));
        expect_elements(turned.data(), N, 3, [](int j, int i) { return 1000 / ((4 * i + 10) * (j % 3 + 1)); });
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

int calls = 0;

// The elements are 10 to 10 + N - 1.
TEST(IdleLanes, AreNotGivenToAFunction) {
    for_sizes([]<std::size_t N>() {
        static tensor<int, N> x = generate<int, N>([](std::size_t i) { return static_cast<int>(10 + i); }), y;
        constexpr auto is_element = [](int v) { return v >= 10 && v < 10 + static_cast<int>(N); };
        calls = 0;
        y = map(
            [is_element](int v) {
                ++calls;
                EXPECT_TRUE(is_element(v)) << v;
                return v + 1;
            },
            x);
        EXPECT_EQ(y(N - 1), static_cast<int>(10 + N));
        EXPECT_EQ(calls, static_cast<int>(N));
        static tensor<bool, N> flags = full<bool, N>(true);
        y = map(
            [is_element](auto v, auto flag, auto i) {
                for (std::size_t l = 0; l < decltype(v)::size; ++l)
                    EXPECT_TRUE(is_element(v[l]) && i[l] == v[l] - 10 && flag[l]) << v[l];
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

template <std::size_t Queries, std::size_t Keys>
void attends() {
    static tensor<float, Queries, 4> q = full<float, Queries, 4>(0.5f), y;
    static tensor<float, Keys, 4> k = full<float, Keys, 4>(0.25f), v = full<float, Keys, 4>(2.0f);
    y = attention(q, k, v, scale(1.0f), score_mod([](auto s, auto query, auto key) {
                      for (std::size_t l = 0; l < decltype(s)::size; ++l) {
                          EXPECT_FLOAT_EQ(s[l], 0.5f);
                          EXPECT_TRUE(query[l] >= 0 && query[l] < static_cast<float>(Queries));
                          EXPECT_TRUE(key[l] >= 0 && key[l] < static_cast<float>(Keys));
                      }
                      return s;
                  }));
    EXPECT_FLOAT_EQ(y(Queries - 1, 3), 2.0f);
}

TEST(IdleLanes, OfScoresHoldScores) {
    for_sizes([]<std::size_t N>() { attends<3, N>(); });
    attends<w + 1, 3>();
    static tensor<float, 3, 4> q = full<float, 3, 4>(0.5f), y;
    static tensor<float, w + 1, 4> k = full<float, w + 1, 4>(0.25f), v = full<float, w + 1, 4>(2.0f);
    const auto check = [](auto s) {
        for (std::size_t l = 0; l < decltype(s)::size; ++l) EXPECT_FLOAT_EQ(s[l], 0.5f);
        return s;
    };
    y = matmul(softmax(map(check, matmul(q, transpose(k)))), v);
    EXPECT_FLOAT_EQ(y(2, 3), 2.0f);
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
