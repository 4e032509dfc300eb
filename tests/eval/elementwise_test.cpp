// SPDX-License-Identifier: BSL-1.0
// Elementwise expressions by kernels: functions, broadcasting, element types.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

TEST(elementwise, functions) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 3, 37>(0, 2);
    const auto y = random.uniform<float, 3, 37>(0.1, 4);
    check(exp(x) + tanh(x) - erf(x) - x);
    check(log(y) * sqrt(y) / rsqrt(y) + pow(y, x), 1e-5);
    check(sigmoid(x) + relu(x) * gelu(x) + gelu_tanh(x) - silu(x) + abs(x));
    check(sin(x) + cos(y) * softplus(x) - mish(y), 1e-5);
    check(elu(x) + leaky_relu(x, 0.2) - leaky_relu(x, y) + hard_sigmoid(x) * hard_swish(y));
    check(where(isnan(log(x)), floor(x), ceil(y)) + round(x) + 2.0f - 1.0f / y);
    check(min(x, y) + max(x, 0.5f) + clamp(x, -1.0f, 1.0f));
    check(map([](auto a, auto b) { return softplus(a) + sin(a) * round(a) - b; }, x, y));
    check(map([](float v) { return softplus(v) + sin(v) * elu(v, 0.5); }, x));
    // The functions of <cmath>, which are global too, take no part.
    check(map([](auto a) { return pow(a, 2) + pow(a, 0.5f) * fma(a, 2.0f, 1) + fma(a, a, 3) + a * 2.0; }, y), 1e-5);
    // Called with numbers: what takes one would be given several.
    check(map([](auto a, float b) { return a * b; }, x, y));
}

TEST(elementwise, doubles) {
    support::random_numbers random(1);
    const auto x = random.normal<double, 3, 37>(0, 2);
    const auto y = random.uniform<double, 3, 37>(0.1, 4);
    check(log(y) * sqrt(y) - exp(x) + pow(y, x) * cos(y), 1e-12);
    check(map([](auto a, double b) { return max(a, 0.5) * b; }, x, y));
}

TEST(elementwise, broadcasting) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 2, 3, 17>();
    const auto row = random.normal<float, 17>();
    const auto column = random.normal<float, 3, 1>();
    const auto batch = random.normal<float, 2, 1, 1>();
    const auto middle = random.normal<float, 2, 1, 17>();
    const auto one = random.normal<float, 1>();
    const tensor<float> scalar{3.0f};
    check(x + row);
    check(x * column - batch);
    check(x * one + middle + scalar);
    check(batch + row * column);
    check(scalar * scalar + 1.0f);
    check(one + scalar);
    check(random.normal<float, 2, 3, 1>() + random.normal<float, 5>());
    const auto high = random.normal<float, 2, 3, 1, 2, 9>();
    check(high * random.normal<float, 2, 1, 1, 1, 1>() - random.normal<float, 4, 1, 9>());
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
    check(cast<std::int32_t>(f) + i * i - 3);
    check(cast<float>(u) * f - cast<float>(i));
    check(cast<std::int32_t>(u) + i);
    check(cast<double>(l + l) * g);
    check(!(f < 0.0f) && b);
    check((i >= 2) || (cast<float>(g) > 1.0f));
    check(where(b, f, -f) + cast<float>(b));
    check(where(g < 0.0, g, g * 2.0));
    check(where(i == 3, i, -i));
    check(where(f > 0.0f, 1.0f, f));
}

TEST(elementwise_types, narrow) {
    support::random_numbers random(5);
    const auto u = random.whole<std::uint8_t, 2, 35>(0, 100);
    const auto s = random.whole<std::int16_t, 2, 35>(-100, 100);
    check(u);
    check(s * std::int16_t(3) - s);
    check(cast<std::int32_t>(s));
    check(u == std::uint8_t(7));
    check(cast<std::uint8_t>(random.whole<std::int32_t, 2, 35>(0, 200)));
    check(where(u < std::uint8_t(50), u + u, std::uint8_t(1)));
}

// Chains that are longer than a block of registers by any number of lanes.
TEST(elementwise_types, sizes) {
    constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));
    support::random_numbers random(6);
    [&]<std::size_t... N>(std::index_sequence<N...>) {
        (check(max(random.normal<float, N>() * 0.75f + random.normal<float, N>(), 0), 1e-6), ...);
    }(std::index_sequence<1, (w > 1 ? w - 1 : 3), w, w + 1, 4 * w + 1, 200>{});
    check(random.normal<double, 2, 65>() / 3, 1e-12);
    check(random.normal<float, 200>() < 0.5f);
}

}  // namespace
