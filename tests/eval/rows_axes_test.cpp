// SPDX-License-Identifier: BSL-1.0
// Row operations by kernels along every axis, and of numbers that are none.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(rows_of_tensors, every_axis) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 3, 17, 5>();
    check(sum<0>(x));
    check(sum<1>(x));
    check(x - mean<1>(x, keep_dims));
    check(x - max<2>(x, keep_dims));
    check(x / sum<0>(x * x, keep_dims));
    check(sum<0, 2>(x));
    check(mean(x));
    check(logsumexp<1>(x), 1e-5);
    check(softmax(softmax<0>(x)));
    check(sum<1>(softmax<1>(x) * x));
}

TEST(rows_of_tensors, axes_before_a_long_last_one) {
    support::random_numbers random(5);
    const auto x = random.normal<float, 3, 4, 37>();
    const auto bias = random.normal<float, 37>();
    check(max<-2>(x) * 2.0f + bias);
    check(relu(mean<0>(x) - sum<1>(reshape<4, 3, 37>(x))));
    check(sum<0, 2>(reshape<3, 2, 2, 37>(x)));
    check(variance<1>(x));
    check(transpose(sum<0>(x)));
    check(sum<1>(transpose(x)));
    check(sum<0>(exp(x)) + min<0>(x * x));
}

TEST(rows_of_tensors, axes_before_the_last_one_in_place) {
    auto x = iota<float, 3, 2, 40>();
    x[1] = max<0>(x);
    for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(x.elements[80 + i], static_cast<float>(160 + i));
    x[2] = sum<0>(x);
    for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(x.elements[160 + i], static_cast<float>(320 + 3 * i));
}

TEST(rows_of_tensors, strange_numbers) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    auto x = zeros<float, 4, 19>();
    x(0, 3) = inf;
    x(1, 18) = nan;
    for (std::size_t i = 0; i < 19; ++i) x(2, i) = -inf;
    x(3, 0) = -inf;
    check(log_softmax(x));
    check(logsumexp(x));
    check(sum<1>(x));
    check(max<1>(x));
    const auto y = eval(transpose(x));
    check(log_softmax<0>(y));
    check(max<0>(y));
}

}  // namespace
