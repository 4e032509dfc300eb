// SPDX-License-Identifier: BSL-1.0
// Reductions, softmax and norms by kernels, over every axis and around every register width.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <class Size>
class rows : public testing::Test {};
template <std::size_t N>
using size_type = std::integral_constant<std::size_t, N>;
using sizes = testing::Types<size_type<1>, size_type<7>, size_type<16>, size_type<17>, size_type<37>>;
TYPED_TEST_SUITE(rows, sizes);

TYPED_TEST(rows, softmax) {
    constexpr std::size_t n = TypeParam::value;
    support::random_numbers random(1);
    const auto x = random.normal<float, n, 5>(0, 3);
    const auto y = random.normal<float, 3, n>(0, 3);
    check(softmax(x));
    check(softmax<0>(x));
    check(softmax(y));
    check(softmax<0>(y));
    check(log_softmax(y), 1e-5);
    check(log_softmax<0>(x), 1e-5);
    check(logsumexp(y), 1e-5);
    check(logsumexp<0>(x), 1e-5);
    check(softmax(y * 2.0f) + y);
}

TYPED_TEST(rows, reductions) {
    constexpr std::size_t n = TypeParam::value;
    support::random_numbers random(2);
    const auto x = random.normal<float, n, 3>(1, 3);
    const auto y = random.normal<float, 3, n>(1, 3);
    check(sum<0>(x));
    check(sum<1>(x));
    check(mean<0>(y));
    check(mean<1>(y));
    check(max<0>(x) + min<0>(x));
    check(max<1>(y) - min<1>(y));
    check(variance<0>(x));
    check(variance<1>(y));
    check(argmax<0>(x));
    check(argmax<1>(y));
    check(sum(x * 2.0f));
}

TYPED_TEST(rows, norms) {
    constexpr std::size_t n = TypeParam::value;
    support::random_numbers random(3);
    const auto x = random.normal<float, 4, n>(1, 3);
    const auto gamma = random.normal<float, n>(), beta = random.normal<float, n>();
    check(layer_norm(x, gamma, beta, 1e-5), 1e-5);
    check(rms_norm(x, gamma, 1e-5), 1e-5);
    check(layer_norm(exp(x) + x, gamma, beta, 1e-5) + x, 1e-5);
    check(layer_norm(transpose(random.normal<float, n, 2>()), gamma, beta, 1e-5), 1e-5);
}

TEST(rows_of_tensors, every_axis) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 3, 17, 5>();
    check(sum<0>(x));
    check(sum<1>(x));
    check(sum<2>(x));
    check(sum<0>(x, keep_dims));
    check(sum<1>(x, keep_dims));
    check(softmax<0>(x));
    check(softmax<1>(x));
    check(x - mean<1>(x, keep_dims));
    check(x - max<2>(x, keep_dims));
    check(x / sum<0>(x * x, keep_dims));
    check(sum<0, 2>(x));
    check(mean(x));
    check(log_softmax<1>(x), 1e-5);
    check(logsumexp<1>(x), 1e-5);
    check(variance<1>(x));
    check(softmax<1>(x) * sum<1>(x, keep_dims) + x);
    check(softmax(softmax<0>(x)));
    check(sum<1>(softmax<1>(x) * x));
}

TEST(rows_of_tensors, element_types) {
    support::random_numbers random(5);
    const auto x = random.normal<double, 3, 13>();
    const auto i = random.whole<std::int32_t, 3, 37>(-99, 99);
    const auto l = random.whole<std::int64_t, 3, 13>(-99, 99);
    const auto b = random.truths<3, 37>(0.9);
    check(softmax(x));
    check(softmax<0>(x));
    check(sum<0>(x));
    check(variance<1>(x));
    check(argmax<1>(x));
    check(sum<1>(i));
    check(sum<0>(i));
    check(max<1>(i));
    check(argmax<1>(i));
    check(sum<1>(l));
    check(max<0>(l));
    check(all<1>(b));
    check(any<0>(b));
    check(all(b));
    check(any(i < 0));
    check(sum<1>(cast<float>(b)));
    check(max<1>(random.whole<std::uint8_t, 3, 37>(0, 255)));
    check(sum<1>(cast<std::int32_t>(random.whole<std::uint8_t, 3, 37>(0, 255))));
}

TEST(rows_of_tensors, strange_numbers) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    auto x = zeros<float, 4, 19>();
    x(0, 3) = inf;
    x(1, 18) = nan;
    for (std::size_t i = 0; i < 19; ++i) x(2, i) = -inf;
    x(3, 0) = -inf;
    check(softmax(x));
    check(log_softmax(x));
    check(logsumexp(x));
    check(sum<1>(x));
    check(max<1>(x));
    check(softmax<0>(x));
    const auto y = eval(transpose(x));
    check(softmax<0>(y));
    check(logsumexp<0>(y));
    check(log_softmax<0>(y));
    check(max<0>(y));
}

}  // namespace
