// SPDX-License-Identifier: BSL-1.0
// Reductions by kernels around the sizes of registers, of every element type.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <class Size>
class rows : public testing::Test {};
template <std::size_t N>
using size_type = std::integral_constant<std::size_t, N>;
using sizes = testing::Types<size_type<1>, size_type<16>, size_type<37>>;
TYPED_TEST_SUITE(rows, sizes);

TYPED_TEST(rows, reductions) {
    constexpr std::size_t n = TypeParam::value;
    support::random_numbers random(2);
    const auto x = random.normal<float, n, 3>(1, 3);
    const auto y = random.normal<float, 3, n>(1, 3);
    check(sum<0>(x));
    check(mean<1>(y));
    check(max<0>(x) + min<0>(x));
    check(max<1>(y) - min<1>(y));
    check(variance<0>(x));
    check(variance<1>(y));
    check(argmax<0>(x));
    check(argmin<1>(y));
    check(argmin(y));
    check(prod<0>(x), 1e-4);
    check(prod<1>(masked_fill(y, y > 0.0f, 1.0f)), 1e-4);
    check(norm<1>(y * 2.0f));
    check(sum(x * 2.0f));
}

TEST(rows_of_tensors, element_types) {
    support::random_numbers random(5);
    const auto x = random.normal<double, 3, 13>();
    const auto i = random.whole<std::int32_t, 3, 37>(-99, 99);
    const auto l = random.whole<std::int64_t, 3, 13>(-99, 99);
    const auto u = random.whole<std::uint8_t, 3, 37>(0, 255);
    const auto b = random.truths<3, 37>(0.9);
    check(softmax<0>(x));
    check(variance<1>(x));
    check(argmax<1>(x));
    check(prod<1>(x), 1e-12);
    check(sum<0>(i));
    check(max<1>(i));
    check(argmin<1>(i));
    check(prod(i + 100));
    check(sum<1>(l));
    check(max<0>(l));
    check(argmin<0>(l));
    check(prod<1>(u));
    check(argmin<1>(u));
    check(max<1>(u));
    check(sum<1>(cast<std::int32_t>(u)));
    check(any<0>(b));
    check(all(b));
    check(sum<1>(cast<float>(b)));
}

// Lanes after the last column are zeros: a condition that zeros meet, or miss, must not see them.
TEST(rows_of_tensors, truths_of_idle_lanes) {
    const tensor<float, 3, 19> twos = full<float, 3, 19>(2);
    EXPECT_FALSE(any(support::evaluated(any<1>(twos < 1.0f || twos == 0.0f))));
    EXPECT_TRUE(all(support::evaluated(all<1>(twos > 1.0f && twos != 0.0f))));
}

#if !defined(__FAST_MATH__)
// Of two elements that are no numbers argmax takes the first one, in whichever lanes, chains and tiles they are.
TEST(rows_of_tensors, argmax_of_two_nans) {
    constexpr std::size_t n = 75;
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    static tensor<float, 3, n> along = full<float, 3, n>(1);
    static tensor<float, n, 19> down = full<float, n, 19>(1);
    static const tensor<float, 19> some_ones = full<float, 19>(1);
    static tensor<std::int32_t, 3> of_rows, least_of_rows;
    static tensor<std::int32_t, 19> of_columns;
    static tensor<std::int32_t> of_all, least_of_tiles;
    along(1, 40) = down(40, 17) = std::numeric_limits<float>::infinity();
    for (std::size_t second = 1; second < n; ++second)
        for (std::size_t first = 0; first < second; ++first) {
            const float before[] = {along(1, first), along(1, second)};
            for (const std::size_t at : {first, second}) along(1, at) = down(at, 17) = nan;
            of_rows = argmax<1>(along);
            of_columns = argmax<0>(down);
            of_all = argmax(along);
            least_of_rows = argmin<1>(along);
            least_of_tiles = argmin(down * some_ones);
            for (std::size_t i = 0; i < 2; ++i) {
                const std::size_t at = i == 0 ? first : second;
                along(1, at) = down(at, 17) = before[i];
            }
            SCOPED_TRACE(testing::Message() << first << " and " << second);
            ASSERT_EQ(least_of_rows(1), static_cast<std::int32_t>(first));
            ASSERT_EQ(least_of_tiles(), static_cast<std::int32_t>(19 * first + 17));
            ASSERT_EQ(of_rows(1), static_cast<std::int32_t>(first));
            ASSERT_EQ(of_columns(17), static_cast<std::int32_t>(first));
            ASSERT_EQ(of_all(), static_cast<std::int32_t>(n + first));
        }
}
#endif

}  // namespace
