// SPDX-License-Identifier: BSL-1.0
// The same expressions in a constant expression and by kernels: functions agree within 2 units of the last place of
// each value, sums and what is made of them within 4 units of the last place of the largest value of the result.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

// Under -ffast-math only the kernels reassociate and take reciprocals.
constexpr double unit_scale = current_config::fast_math ? 16 : 1;
constexpr double function_bound = 2 * unit_scale;
constexpr double sum_bound = 4 * unit_scale;

template <class T, std::size_t Rows, std::size_t Columns>
constexpr tensor<T, Rows, Columns> numbers(unsigned seed, double low, double high) {
    tensor<T, Rows, Columns> result{};
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>(low + (high - low) * (static_cast<double>(seed >> 8) / 16777216.0));
    }
    return result;
}

template <class T>
struct operands {
    using value_type = T;
    tensor<T, 5, 7> x = numbers<T, 5, 7>(1, -4, 4);
    tensor<T, 5, 7> positive = numbers<T, 5, 7>(2, 0.01, 6);
    tensor<T, 4, 8> q = numbers<T, 4, 8>(3, -2, 2);
    tensor<T, 6, 8> k = numbers<T, 6, 8>(4, -2, 2);
    tensor<T, 6, 5> v = numbers<T, 6, 5>(5, -1, 1);
    tensor<T, 1, 7> gamma = numbers<T, 1, 7>(6, 0.5, 2);
    tensor<T, 1, 7> beta = numbers<T, 1, 7>(7, -1, 1);
    tensor<T, 7, 9> w = numbers<T, 7, 9>(8, -1, 1);
    tensor<bool, 4, 6> pairs{{1, 0, 1, 1, 0, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, {0, 0, 0, 1, 0, 0}};
};

template <class T>
constexpr operands<T> constants{};

/// The size of a unit of the last place of x.
template <class T>
double unit_of(T x) {
    int exponent = 0;
    (void)std::frexp(x, &exponent);
    return std::ldexp(1.0, std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits);
}

enum class unit { of_each_value, of_the_largest };

template <class T, unit Unit, auto Expression>
void expect_agreement(const char* name) {
    static constexpr auto constant = eval(Expression(constants<T>));
    operands<T> given = constants<T>;
    asm volatile("" ::"r"(&given) : "memory");  // hides the values from the optimiser
    const auto computed = eval(Expression(given));
    static_assert(std::is_same_v<decltype(computed), decltype(constant)>);

    T largest = 0;
    for (const T c : constant) largest = std::max(largest, std::abs(c));
    double worst = 0;
    for (std::size_t i = 0; i < constant.size(); ++i) {
        const T c = constant.begin()[i], r = computed.begin()[i];
        if (c == r) continue;
        const double difference = std::abs(static_cast<double>(c) - static_cast<double>(r));
        const double units = difference / unit_of(Unit == unit::of_each_value ? c : largest);
        worst = std::max(worst, units <= 1e30 ? units : 1e30);
    }
    EXPECT_LE(worst, Unit == unit::of_each_value ? function_bound : sum_bound)
        << name << " of " << sizeof(T) * 8 << " bits";
    testing::Test::RecordProperty(std::string(name) + (sizeof(T) == 4 ? "_float" : "_double"), std::to_string(worst));
}

template <class T, auto Expression>
void function_agrees(const char* name) {
    expect_agreement<T, unit::of_each_value, Expression>(name);
}

template <class T, auto Expression>
void sums_agree(const char* name) {
    expect_agreement<T, unit::of_the_largest, Expression>(name);
}

template <class T>
class constexpr_agreement : public testing::Test {};
using elements = testing::Types<float, double>;
TYPED_TEST_SUITE(constexpr_agreement, elements);

TYPED_TEST(constexpr_agreement, functions) {
    using T = TypeParam;
    function_agrees<T, [](const auto& o) { return exp(o.x); }>("exp");
    function_agrees<T, [](const auto& o) { return log(o.positive); }>("log");
    function_agrees<T, [](const auto& o) { return tanh(o.x); }>("tanh");
    function_agrees<T, [](const auto& o) { return erf(o.x); }>("erf");
    function_agrees<T, [](const auto& o) { return pow(o.positive, o.x); }>("pow");
    sums_agree<T, [](const auto& o) { return attention(o.q, o.k, o.v, causal, scale(T(0.5))); }>("causal");
}

using constexpr_agreement_of_float = constexpr_agreement<float>;
TEST_F(constexpr_agreement_of_float, more_functions) {
    using T = float;
    function_agrees<T, [](const auto& o) { return rsqrt(o.positive); }>("rsqrt");
    function_agrees<T, [](const auto& o) { return silu(o.x); }>("silu");
    function_agrees<T, [](const auto& o) {
        return clamp(where(o.x > o.beta, abs(o.x), relu(sqrt(o.positive))), T(0.5), T(3)) / o.gamma;
    }>("arithmetic");
    // Near a zero of 1 + erf a difference is many units of the value itself.
    sums_agree<T, [](const auto& o) { return gelu(o.x); }>("gelu");
    sums_agree<T, [](const auto& o) { return gelu_tanh(o.x); }>("gelu_tanh");
}

TEST_F(constexpr_agreement_of_float, rows_and_products) {
    using T = float;
    sums_agree<T, [](const auto& o) { return softmax(o.x); }>("softmax");
    sums_agree<T, [](const auto& o) { return log_softmax<0>(o.x); }>("log_softmax");
    sums_agree<T, [](const auto& o) { return layer_norm(o.x, row(o.gamma, 0), row(o.beta, 0), 1e-5); }>("layer_norm");
    sums_agree<T, [](const auto& o) { return variance<0>(o.x) + sum<0>(o.positive); }>("variance_and_sum");
    sums_agree<T, [](const auto& o) { return max<0>(o.x) - min<0>(o.positive) + cast<T>(argmax<0>(o.x)); }>("extremes");
    sums_agree<T, [](const auto& o) { return matmul(relu(matmul(o.x, o.w)), transpose(o.w)) + o.x; }>("feed_forward");
    sums_agree<T, [](const auto& o) { return einsum<"ij,kj->ki">(o.x, o.positive); }>("einsum");
    sums_agree<T, [](const auto& o) { return attention(o.q, o.k, o.v, keep(o.pairs), softcap(T(3))); }>("by_pairs");
}

}  // namespace
