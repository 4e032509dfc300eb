// SPDX-License-Identifier: BSL-1.0
// Values of rank 0 in place of numbers: conditions, arguments, arithmetic and indices, at compile time too.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr tensor<float, 2, 3> x{{1, -2, 3}, {4, 0.5f, -6}};
constexpr tensor<int, 3> whole{2, 0, 1};

constexpr bool rises(const tensor<float, 3>& t) {
    if (t(0) > t(1) || max(t) == min(t)) return false;
    return all(slice<0, 0, 2>(t) <= slice<0, 1, 3>(t));
}
static_assert(rises({1, 2, 3}) && !rises({1, 3, 2}) && !rises({2, 2, 2}));
static_assert(sum(x) == 0.5f && eval(sum(x)) == 0.5f && sum(whole) == 3);
static_assert(std::is_convertible_v<decltype(sum(x)), float> && std::is_convertible_v<decltype(eval(sum(x))), float>);
static_assert(!std::is_convertible_v<decltype(x > 0.0f), bool>);
static_assert(!std::is_convertible_v<decltype(sum<0>(x)), float>);

TEST(scalars, conditions) {
    const auto t = x;
    if (max(abs(t)) < 6.5f)
        SUCCEED();
    else
        FAIL();
    EXPECT_TRUE(any(t > 3.5f));
    EXPECT_FALSE(eval(all(t > 3.5f)));
    EXPECT_TRUE(!all(t > 3.5f) && any(t < 0.0f));
    EXPECT_EQ(eval(max(t)) < eval(min(t)) ? 1 : 2, 2);
    int steps = 0;
    for (tensor<float> s{1.0f}; s < 100.0f; s = s * 3.0f) ++steps;
    EXPECT_EQ(steps, 5);
}

TEST(scalars, numbers) {
    const auto t = x;
    const float total = sum(t), greatest = eval(max(t)), product = dot(t[0], t[1]);
    EXPECT_EQ(total, 0.5f);
    EXPECT_EQ(greatest, 4.0f);
    EXPECT_EQ(product, -15.0f);
    const double wide = cast<double>(sum(t));
    EXPECT_EQ(wide, 0.5);
    float running = 2;
    running += eval(sum(t));
    running -= sum(t);
    EXPECT_EQ(running, 2.0f);
    EXPECT_EQ(std::sqrt(eval(max(t))), 2.0f);
    EXPECT_EQ(std::max<float>(max(t), 7.0f), 7.0f);
    const float quotient = 2 * eval(max(t)) / t(0, 2);
    EXPECT_NEAR(quotient, 8.0f / 3, 1e-6);
    EXPECT_EQ(whole(argmax(t[0])), 1);
    const tensor<float> kept = max(t);
    const float again = kept + 1.0f;
    EXPECT_EQ(again, 5.0f);
    const float of_attention = sum(softmax(matmul(t, transpose(t))));
    EXPECT_NEAR(of_attention, 2.0f, 1e-6);
}

}  // namespace
