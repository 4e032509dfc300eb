// SPDX-License-Identifier: BSL-1.0
// No floating-point exception comes from lanes without an element, element by element.
#include <support/floating_point_exceptions.hpp>

using namespace ashlar;
using floating_point::numbers_between;

namespace {

template <class T, std::size_t N>
void elementwise() {
    static auto x = numbers_between<T, 3, N>(T(0.5), T(4)), y = numbers_between<T, 3, N>(T(-4), T(-0.5)), z = x;
    static auto turned = numbers_between<T, N, 3>(T(0.5), T(4));
    static auto wide = numbers_between<T, 3, 2 * N>(T(0.5), T(4));
    static auto row = numbers_between<T, N>(T(0.5), T(4));
    static auto column = numbers_between<T, 3, 1>(T(0.5), T(4));
    EXPECT_QUIET(z = T(1) / x);
    EXPECT_QUIET(z = y / x);
    EXPECT_QUIET(z = y / row);
    EXPECT_QUIET(z = y / column);
    EXPECT_QUIET(z = y / transpose(turned));
    EXPECT_QUIET((z = y / slice<1, 0, 2 * N, 2>(wide)));
    EXPECT_QUIET(z = log(x));
    EXPECT_QUIET(z = log(transpose(turned)));
    EXPECT_QUIET(z = rsqrt(x));
    EXPECT_QUIET(z = sqrt(x) + pow(x, y));
    EXPECT_QUIET(z = pow(row, y));
    EXPECT_QUIET(z = exp(x) + exp(y) + exp(x, fast));
    EXPECT_QUIET(z = tanh(y) + erf(x) + sigmoid(x) + silu(y));
    EXPECT_QUIET(z = gelu(x) + gelu_tanh(y) + relu(y));
    EXPECT_QUIET(z = sin(x) + cos(y) + softplus(y) + mish(x) + elu(y) + leaky_relu(y) + hard_swish(y));
    EXPECT_QUIET(z = floor(x) + ceil(y) + round(x) + where(isnan(y), T(0), y));
    EXPECT_QUIET(z = tanh(y, fast) + sigmoid(x, fast) + silu(y, fast) + gelu(x, fast) + gelu_tanh(y, fast));
    EXPECT_QUIET(z = where(x > T(1), T(1) / x, log(x)));
    EXPECT_QUIET(z = map([](auto a) { return T(2) / a; }, x));
    EXPECT_QUIET(z = map([](T a) { return T(2) / a; }, x));
    EXPECT_QUIET(z = cast<T>(cast<std::int32_t>(x)));
    EXPECT_QUIET(z = let(x + T(1), [](const auto& a) { return a / (a * a); }));
    EXPECT_QUIET(z = abs(y) + min(x, y) + max(x, y) + clamp(x, T(0), T(1)));
}
TEST(FloatingPointExceptions, OfFloatsElementByElement) { elementwise<float, 19>(); }
TEST(FloatingPointExceptions, OfDoublesElementByElement) { elementwise<double, 11>(); }

}  // namespace
