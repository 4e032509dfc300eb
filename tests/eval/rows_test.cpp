// SPDX-License-Identifier: BSL-1.0
// Reductions, softmax and norms by kernels around the sizes of registers.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Size>
void softmaxes() {
    SCOPED_TRACE(Size);
    support::random_numbers random(1);
    const auto x = random.normal<float, Size, 5>(0, 3);
    const auto y = random.normal<float, 3, Size>(0, 3);
    check(softmax<0>(x));
    check(softmax(y));
    check(log_softmax(y), 1e-5);
    check(logsumexp<0>(x), 1e-5);
}
TEST(rows, softmaxes) {
    softmaxes<1>();
    softmaxes<15>();
    softmaxes<16>();
    softmaxes<17>();
    support::random_numbers random(2);
    const auto x = random.normal<float, 37, 5>(0, 3);
    const auto y = random.normal<float, 3, 37>(0, 3);
    check(softmax(x));
    check(softmax<0>(y));
    check(softmax(y * 2.0f) + y);
    check(log_softmax<0>(x), 1e-5);
    check(logsumexp(y), 1e-5);
}

template <std::size_t Size>
void norms() {
    SCOPED_TRACE(Size);
    support::random_numbers random(3);
    const auto x = random.normal<float, 4, Size>(1, 3);
    const auto gamma = random.normal<float, Size>(), beta = random.normal<float, Size>();
    check(layer_norm(x, gamma, beta, 1e-5), 1e-5);
    check(rms_norm(x, gamma, 1e-5), 1e-5);
}
TEST(rows, norms) {
    norms<1>();
    norms<15>();
    norms<16>();
    norms<17>();
    support::random_numbers random(4);
    const auto x = random.normal<float, 4, 37>(1, 3);
    const auto gamma = random.normal<float, 37>(), beta = random.normal<float, 37>();
    check(layer_norm(exp(x) + x, gamma, beta, 1e-5) + x, 1e-5);
    check(layer_norm(transpose(random.normal<float, 37, 2>()), gamma, beta, 1e-5), 1e-5);
}

}  // namespace
