// SPDX-License-Identifier: BSL-1.0
// Running sums: against loops, along every axis, of sizes around powers of two.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Outer, std::size_t N, std::size_t Inner>
void along_the_middle() {
    support::random_numbers random(N);
    const auto x = random.template normal<float, Outer, N, Inner>();
    const tensor<float, Outer, N, Inner> y = cumsum<1>(x);
    for (std::size_t o = 0; o < Outer; ++o)
        for (std::size_t i = 0; i < Inner; ++i) {
            double sum = 0;
            for (std::size_t k = 0; k < N; ++k) {
                sum += static_cast<double>(x(o, k, i));
                ASSERT_NEAR(static_cast<double>(y(o, k, i)), sum, 1e-5 * static_cast<double>(N)) << N << ": " << k;
            }
        }
}

// One entry, a power of two, one more than a power of two in columns, and more than a register along the axis.
TEST(cumsum, sizes) {
    along_the_middle<3, 1, 5>();
    along_the_middle<2, 4, 1>();
    along_the_middle<2, 5, 17>();
    along_the_middle<1, 17, 1>();
}

TEST(cumsum, element_types) {
    support::random_numbers random(3);
    check(cumsum<-1>(random.normal<double, 3, 4>()));
    const tensor<std::uint8_t, 4> wrapped = cumsum<0>(full<std::uint8_t, 4>(70));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(wrapped(i), static_cast<std::uint8_t>(70 * (i + 1)));
}

TEST(cumsum, fused_and_in_place) {
    support::random_numbers random(4);
    auto x = random.normal<float, 3, 4>();
    check(sum<1>(cumsum<1>(x)), 1e-4);
    check(cumsum<1>(softmax(x)) * 2.0f, 1e-5);
    check(cumsum<0>(cumsum<1>(x)), 1e-4);
    const auto expected = detail::constant_evaluate(cumsum<1>(x));
    x = cumsum<1>(x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x.data()[i], expected.data()[i]);
}

#if !defined(__FAST_MATH__)
TEST(cumsum, what_is_not_finite_stays_behind) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const tensor<float, 6> y = cumsum<0>(tensor<float, 6>{-0.0f, 1, infinity, 1, -infinity, 1});
    EXPECT_TRUE(std::signbit(y(0)) && y(0) == 0);
    EXPECT_EQ(y(1), 1);
    EXPECT_EQ(y(2), infinity);
    EXPECT_EQ(y(3), infinity);
    EXPECT_TRUE(std::isnan(y(4)) && std::isnan(y(5)));
}
#endif

constexpr axis<"time", 4> time_axis;
static_assert(all(cumsum<time_axis>(tensor<int, 2, time_axis>{{1, 2, 3, 4}, {5, 6, 7, 8}}) ==
                  tensor<int, 2, time_axis>{{1, 3, 6, 10}, {5, 11, 18, 26}}));

}  // namespace
