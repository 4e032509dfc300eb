// SPDX-License-Identifier: BSL-1.0
// No floating-point exception comes from lanes without an element, in reductions, norms, softmax and products.
#include <cstring>

#include <support/floating_point_exceptions.hpp>

using namespace ashlar;
using floating_point::numbers_between;

namespace {

template <class Test>
void for_sizes(Test test) {
    test.template operator()<5>();
    test.template operator()<19>();
}

template <class T, std::size_t N>
void reductions() {
    static auto x = numbers_between<T, 3, N>(T(-90), T(-80)), z = x;
    static auto turned = numbers_between<T, N, 3>(T(80), T(90)), turned_result = turned;
    static auto gamma = numbers_between<T, N>(T(0.5), T(4)), by_column = gamma;
    static auto by_row = numbers_between<T, 3>(T(0), T(0));
    EXPECT_QUIET(z = softmax(x));
    EXPECT_QUIET(z = softmax<0>(x));
    EXPECT_QUIET(z = log_softmax(x));
    EXPECT_QUIET(turned_result = softmax(turned));
    EXPECT_QUIET(turned_result = log_softmax(turned));
    EXPECT_QUIET(turned_result = softmax<0>(turned));
    EXPECT_QUIET(by_row = logsumexp(x));
    EXPECT_QUIET(by_column = logsumexp(turned));
    EXPECT_QUIET(by_row = variance<1>(x));
    EXPECT_QUIET(by_column = variance<0>(x));
    EXPECT_QUIET(by_row = T(1) / sum<1>(x));
    EXPECT_QUIET(by_column = T(1) / sum<1>(turned));
    EXPECT_QUIET(by_row = sum<1>(T(1) / x));
    EXPECT_QUIET(z = layer_norm(x, gamma, gamma, T(1e-5)));
    EXPECT_QUIET(z = rms_norm(x, gamma, T(1e-5)));
    EXPECT_QUIET(turned_result = layer_norm(turned));
    EXPECT_QUIET(z = x / sum<1>(x, keep_dims));
    EXPECT_QUIET(z = softmax(x) / x);
}
TEST(FloatingPointExceptions, OfReductions) {
    for_sizes([]<std::size_t N>() { reductions<float, N>(); });
}

TEST(FloatingPointExceptions, OfProducts) {
    for_sizes([]<std::size_t N>() {
        static auto a = numbers_between<float, 3, 8>(0.5f, 2.0f);
        static auto b = numbers_between<float, 8, N>(0.5f, 2.0f);
        static auto tall = numbers_between<float, N, 8>(0.5f, 2.0f);
        static tensor<float, 3, N> z;
        static tensor<float, N, N> square;
        static tensor<float, N, 3> turned;
        static auto bias = numbers_between<float, N>(0.5f, 2.0f);
        EXPECT_QUIET(z = 1.0f / matmul(a, b));
        EXPECT_QUIET(z = log(matmul(a, transpose(tall))) / bias);
        EXPECT_QUIET(turned = rsqrt(matmul(tall, transpose(a))));
        EXPECT_QUIET(square = gelu(matmul(tall, b) + bias));
        EXPECT_QUIET(square = matmul(softmax(1.0f / matmul(tall, transpose(tall))), square * 0.0f));
        EXPECT_QUIET(turned = matmul(tall, transpose(a)) / matmul(tall, transpose(a)));
    });
}

/// Evaluates with scratch that holds NaN.
template <class Destination, class E>
void evaluate_among_nans(Destination& y, const E& e) {
    static workspace<workspace_bytes<E>> scratch;
    std::memset(scratch.bytes, 0xff, sizeof scratch.bytes);
    evaluate(y, e, scratch);
}

/// Lanes behind the last row of a copy hold nothing of what was in scratch before: a maximum would notice.
TEST(FloatingPointExceptions, OfScratch) {
    for_sizes([]<std::size_t N>() {
        static auto q = numbers_between<float, N, 17>(0.5f, 2.0f);
        static auto k = numbers_between<float, 7, 17>(0.5f, 2.0f);
        static tensor<float, N, 7> z;
        EXPECT_QUIET(evaluate_among_nans(z, softmax(masked(matmul(q, transpose(k)), causal))));
        EXPECT_QUIET(evaluate_among_nans(z, softmax(masked(matmul(roll<1, 2>(q), transpose(k)), causal))));
        EXPECT_QUIET(evaluate_among_nans(z, softmax(matmul(tanh(q), transpose(k)))));
    });
}

}  // namespace
