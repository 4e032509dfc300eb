// SPDX-License-Identifier: BSL-1.0
// Products of rows that are rounded to bf16 and packed bf16, with multiply-adds of pairs where the machine has them: as
// naive loops over the rounded numbers, in any case.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/executors.hpp"

namespace {

using namespace ashlar;

using support::guarded_workspace, support::threads;

template <auto... Dims>
tensor<float, Dims...> numbers(unsigned seed) {
    return support::filled<tensor<float, Dims...>>(seed);
}
double rounded(float value) { return double(static_cast<float>(bf16(value))); }

/// Expects y to be the product of rounded numbers, with an error of so many parts of its terms' magnitudes.
[[gnu::noinline]] void expect_products(const float* y, const float* a, const float* w, std::size_t rows,
                                       std::size_t depth, std::size_t columns, double part = 1e-6) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) {
            double value = 0, size = 0;
            for (std::size_t k = 0; k < depth; ++k) {
                const double term = rounded(a[i * depth + k]) * rounded(w[k * columns + j]);
                value += term;
                size += std::abs(term);
            }
            ASSERT_NEAR(double(y[i * columns + j]), value, part * size)
                << rows << " x " << depth << " x " << columns << ", at " << i << ", " << j;
        }
}

template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
void expect_product() {
    static const auto x = numbers<Rows, Depth>(1);
    static const auto w = numbers<Depth, Columns>(2);
    static packed<bf16, Depth, Columns> p;
    pack(p, w);
    const auto e = matmul(cast<bf16>(x), p);
    guarded_workspace<workspace_bytes<decltype(e)>> scratch;
    static tensor<float, Rows, Columns> y;
    evaluate(y, e, scratch.scratch);
    EXPECT_TRUE(scratch.is_whole());
    expect_products(y.data(), x.data(), w.data(), Rows, Depth, Columns);
}
TEST(Bf16Products, OneRow) { expect_product<1, 67, 70>(); }
TEST(Bf16Products, FewRows) {
    expect_product<3, 15, 1>();
    expect_product<5, 16, 17>();
    expect_product<7, 17, 15>();
}
TEST(Bf16Products, ManyRows) {
    expect_product<37, 32, 96>();
    expect_product<131, 129, 53>();
}

TEST(Bf16Products, WhatFollowsIsApplied) {
    static const auto x = numbers<32, 400>(3);
    static const auto w = numbers<400, 48>(4);
    static const auto r = numbers<32, 48>(5);
    static const auto b = numbers<48>(6);
    static packed<bf16, 400, 48> p;
    pack(p, w);
    const tensor<float, 32, 48> plain = matmul(cast<bf16>(x), p), sum = r + (matmul(cast<bf16>(x), p) + b),
                                activated = gelu(matmul(cast<bf16>(x), p) * 0.125f + b);
    const tensor<bf16, 32, 48> narrow = matmul(cast<bf16>(x), p);
    expect_products(plain.data(), x.data(), w.data(), 32, 400, 48);
    for (std::size_t i = 0; i < 32; ++i)
        for (std::size_t j = 0; j < 48; ++j) {
            ASSERT_EQ(sum(i, j), r(i, j) + (plain(i, j) + b(j)));
            const double z = double(plain(i, j)) * 0.125 + double(b(j));
            ASSERT_NEAR(double(activated(i, j)), z * 0.5 * (1 + std::erf(z / std::sqrt(2.0))), 1e-5);
            ASSERT_EQ(static_cast<float>(narrow(i, j)), static_cast<float>(bf16(plain(i, j))));
        }
}

TEST(Bf16Products, OneAfterTheOther) {
    static const auto x = numbers<40, 64>(7);
    static const auto w = numbers<64, 80>(8);
    static const auto v = numbers<80, 32>(9);
    static packed<bf16, 64, 80> p;
    static packed<bf16, 80, 32> q;
    pack(p, w);
    pack(q, v);
    const tensor<float, 40, 80> hidden = max(matmul(cast<bf16>(x), p), 0.0f);
    const tensor<float, 40, 32> y = matmul(cast<bf16>(max(matmul(cast<bf16>(x), p), 0.0f)), q);
    expect_products(y.data(), hidden.data(), v.data(), 40, 80, 32, 2e-6);
}

TEST(Bf16Products, MemoryOfBf16OnBothSides) {
    static const auto x = numbers<2, 9, 33>(10);
    static const auto w = numbers<33, 20>(11);
    static const tensor<bf16, 2, 9, 33> narrow = x;
    static packed<bf16, 33, 20> p;
    pack(p, w);
    const tensor<float, 2, 9, 20> y = matmul(narrow, p);
    expect_products(y.data(), x.data(), w.data(), 18, 33, 20);
}

TEST(Bf16Products, InfinityAndNanPropagate) {
    auto x = numbers<6, 21>(12);
    const auto w = numbers<21, 18>(13);
    static packed<bf16, 21, 18> p;
    pack(p, w);
    x(1, 20) = std::numeric_limits<float>::infinity();
    x(2, 0) = std::numeric_limits<float>::quiet_NaN();
    x(3, 5) = std::numeric_limits<float>::max();  // beyond the largest bf16 once it is rounded
    const tensor<float, 6, 18> y = matmul(cast<bf16>(x), p);
    for (std::size_t j = 0; j < 18; ++j) {
        EXPECT_TRUE(std::isfinite(y(0, j)) && std::isfinite(y(4, j)));
        EXPECT_EQ(y(1, j), std::copysign(std::numeric_limits<float>::infinity(), w(20, j)));
        EXPECT_TRUE(std::isnan(y(2, j)));
        EXPECT_EQ(y(3, j), std::copysign(std::numeric_limits<float>::infinity(), w(5, j)));
    }
}

TEST(Bf16Products, RowsBelowAndConstantExpressions) {
    static const auto x = numbers<70, 40>(14);
    static const auto w = numbers<40, 37>(15);
    static packed<bf16, 40, 37> p;
    pack(p, w);
    tensor<float, 70, 37> some{};
    evaluate(some, matmul(cast<bf16>(x), p), rows_below(41));
    expect_products(some.data(), x.data(), w.data(), 41, 40, 37);

    static constexpr tensor<float, 2, 3> a{{1.0f, 1.00390625f, -3}, {0.5f, 257, 2}};
    static constexpr auto b = pack(tensor<bf16, 3, 2>{{1, 2.5f}, {3, 4}, {-1, 0.5f}});
    constexpr tensor<float, 2, 2> y = matmul(cast<bf16>(a), b);
    static_assert(y(0, 0) == 1 + 3 + 3 && y(1, 1) == 1.25f + 256 * 4 + 1);
    EXPECT_EQ((tensor<float, 2, 2>(matmul(cast<bf16>(a), b))(1, 1)), y(1, 1));
}

TEST(Bf16Products, WorkersHaveTheBitsOfOne) {
    static const auto x = numbers<131, 65>(16);
    static const auto w = numbers<65, 200>(17);
    static packed<bf16, 65, 200> p;
    pack(p, w);
    const auto e = gelu(matmul(cast<bf16>(x), p));
    static tensor<float, 131, 200> y, expected;
    expected = e;
    static guarded_workspace<workspace_bytes<decltype(e), 3>> scratch;
    evaluate(y, e, scratch.scratch, threads{3});
    EXPECT_TRUE(scratch.is_whole());
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
}

}  // namespace
