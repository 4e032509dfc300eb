// SPDX-License-Identifier: BSL-1.0
// Elementwise expressions by kernels: functions, broadcasting, element types.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <class T>
class elementwise : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(elementwise, element_types);

TYPED_TEST(elementwise, functions) {
    using T = TypeParam;
    support::random_numbers random(1);
    const auto x = random.template normal<T, 3, 37>(0, 2);
    const auto y = random.template uniform<T, 3, 37>(0.1, 4);
    check(exp(x) + tanh(x) - erf(x));
    check(log(y) * sqrt(y) / rsqrt(y), std::is_same_v<T, float> ? 1e-5 : 1e-12);
    check(sigmoid(x) + relu(x) * gelu(x));
    check(gelu_tanh(x) - silu(x) + abs(x));
    check(sin(x) + cos(y) * softplus(x) - mish(y), std::is_same_v<T, float> ? 1e-5 : 1e-12);
    check(elu(x) + leaky_relu(x, 0.2) - leaky_relu(x, y) + hard_sigmoid(x) * hard_swish(y));
    check(where(isnan(log(x)), floor(x), ceil(y)) + round(x));
    check(map([](auto v) { return softplus(v) + sin(v) * round(v); }, x));
    check(map([](T v) { return softplus(v) + sin(v) * elu(v, 0.5); }, x));
    check(min(x, y) + max(x, T(0.5)) + clamp(x, T(-1), T(1)));
    check(pow(y, x), std::is_same_v<T, float> ? 1e-5 : 1e-12);
    check(-x + T(2) - T(1) / y);
    check(map([](auto a, auto b) { return a * a - b; }, x, y));
    // The functions of <cmath>, which are global too, take no part.
    check(map([](auto a) { return pow(a, 2) + pow(a, T(0.5)) * fma(a, T(2), 1) + fma(a, a, 3) + a * 2.0; }, y), 1e-5);
    // Called with numbers: what takes one would be given several.
    check(map([](auto a, T b) { return a * b; }, x, y));
}

TYPED_TEST(elementwise, broadcasting) {
    using T = TypeParam;
    support::random_numbers random(2);
    const auto x = random.template normal<T, 2, 3, 17>();
    const auto row = random.template normal<T, 17>();
    const auto column = random.template normal<T, 3, 1>();
    const auto batch = random.template normal<T, 2, 1, 1>();
    const auto middle = random.template normal<T, 2, 1, 17>();
    const auto one = random.template normal<T, 1>();
    const tensor<T> scalar{T(3)};
    check(x + row);
    check(x * column);
    check(x - batch);
    check(x + middle);
    check(x * one + scalar);
    check(row * column);
    check(batch + row * column);
    check(scalar * scalar);
    check(scalar + T(1));
    check(one + scalar);
    check(random.template normal<T, 2, 3, 1>() + random.template normal<T, 5>());
}

TEST(elementwise_ranks, high) {
    support::random_numbers random(3);
    const auto a = random.normal<float, 2, 3, 1, 2, 9>();
    const auto b = random.normal<float, 4, 1, 9>();
    const auto c = random.normal<float, 2, 1, 1, 1, 1>();
    check(a + b);
    check(a * c - b);
    check(exp(a) + c);
    check(random.normal<float, 1, 1, 1>() * c);
}

TEST(elementwise_types, mixed) {
    support::random_numbers random(4);
    const auto f = random.normal<float, 3, 19>(0, 5);
    const auto g = random.normal<double, 3, 19>(0, 5);
    const auto i = random.whole<std::int32_t, 3, 19>(-9, 9);
    const auto u = random.whole<std::uint8_t, 3, 19>(0, 255);
    const auto l = random.whole<std::int64_t, 3, 19>(-9, 9);
    const auto b = random.truths<3, 19>();
    check(cast<double>(f) + g);
    check(cast<float>(g) * f);
    check(cast<float>(i) + f);
    check(cast<std::int32_t>(f) + i);
    check(i * i - i);
    check(i + 3);
    check(cast<float>(u) * f);
    check(cast<std::int32_t>(u) + i);
    check(u);
    check(cast<double>(l) * g);
    check(l + l);
    check(f < 0.0f);
    check(i >= 2);
    check(!(f < 0.0f) && b);
    check((f < 0.0f) || (cast<float>(g) > 1.0f));
    check(g < 0.0);
    check(where(b, f, -f));
    check(where(g < 0.0, g, g * 2.0));
    check(where(i == 3, i, -i));
    check(cast<float>(b) + f);
    check(where(f > 0.0f, 1.0f, f));
}

TEST(elementwise_types, narrow) {
    support::random_numbers random(5);
    const auto u = random.whole<std::uint8_t, 2, 35>(0, 100);
    const auto s = random.whole<std::int16_t, 2, 35>(-100, 100);
    check(u + u);
    check(s * std::int16_t(3) - s);
    check(cast<std::int32_t>(s));
    check(u == std::uint8_t(7));
    check(cast<std::uint8_t>(random.whole<std::int32_t, 2, 35>(0, 200)));
    check(where(u < std::uint8_t(50), u, std::uint8_t(1)));
}

TEST(elementwise_types, sizes) {
    support::random_numbers random(6);
    [&]<std::size_t... N>(std::index_sequence<N...>) {
        (check(exp(random.normal<float, N + 1>()) * 2.0f), ...);
    }(std::index_sequence<0, 2, 6, 7, 8, 14, 15, 16, 30, 32, 63>{});
}

}  // namespace
