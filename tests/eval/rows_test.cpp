// SPDX-License-Identifier: BSL-1.0
// Reductions, softmax and norms by kernels around the sizes of registers.
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

}  // namespace
