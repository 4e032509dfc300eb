// SPDX-License-Identifier: BSL-1.0
// What surrounds statistics of rows: elementwise chains before and behind them, masks, products, and
// destinations that are operands.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::expect_near;
using reference::of;
using support::check;

constexpr std::size_t rows = 43, columns = 37;

TEST(row_chains, elementwise_around_statistics) {
    support::random_numbers random(1);
    const auto x = random.normal<float, rows, columns>(0, 2), y = random.normal<float, rows, columns>();
    const auto gamma = random.normal<float, columns>(), beta = random.normal<float, columns>();
    const auto scale = random.normal<float, rows, 1>();
    check(gelu(layer_norm(x + y, gamma, beta, 1e-5)) * scale + y, 1e-5);
    check(max(rms_norm(x, gamma, 1e-5), x), 1e-5);
    check(softmax(x * 2.0f) * gamma + scale, 1e-5);
    check(log_softmax(x + y), 1e-5);
    check(softmax(x) + softmax(y), 1e-5);
    check(softmax(layer_norm(x, gamma, beta, 1e-5)), 1e-5);
    check(transpose(softmax(x)) + 1.0f, 1e-5);
}

TEST(row_chains, batches) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 3, 9, columns>(0, 2);
    const auto middle = random.normal<float, 9, 1>();
    check(softmax(x) * middle, 1e-5);
    check(permute<1, 0, 2>(softmax(x)), 1e-5);
}

TEST(row_chains, masks) {
    support::random_numbers random(3);
    const auto x = random.normal<float, rows, rows>(0, 2);
    check(softmax(masked(x, sliding_window<5, 3>)) * 2.0f, 1e-5);
    for (const std::size_t keys : {20u, 0u}) check(softmax(masked(x, keys_below(keys))) + 1.0f, 1e-5);
}

TEST(row_chains, products) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 32, 32>(), w = random.normal<float, 32, 32>();
    const auto gamma = random.normal<float, 32>(), beta = random.normal<float, 32>();
    check(matmul(layer_norm(x, gamma, beta, 1e-5), w), 1e-5);
    check(layer_norm(matmul(x, w) + x, gamma, beta, 1e-5), 1e-5);
    check(let(layer_norm(matmul(x, w), gamma, beta, 1e-5), [&](const auto& y) { return matmul(y, w) + y; }), 1e-5);
}

template <class Make>
void in_place(Make make) {
    support::random_numbers random(6);
    const auto original = random.normal<float, rows, columns>();
    auto x = original;
    const auto expected = of(detail::constant_evaluate(make(original)));
    x = make(x);
    expect_near(x, expected, 1e-5);
}

TEST(row_chains, destination_is_an_operand) {
    support::random_numbers random(7);
    const auto gamma = random.normal<float, columns>(), beta = random.normal<float, columns>();
    in_place([&](const auto& x) { return layer_norm(x, gamma, beta, 1e-5); });
    in_place([&](const auto& x) { return rms_norm(x, gamma, 1e-5) + x; });
    in_place([](const auto& x) { return x * x[7] + x[0]; });
}

// The variance comes from deviations: squares of large numbers would cancel.
TEST(row_chains, large_means_keep_their_variance) {
    tensor<float, 9, 64> x{};
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = 4096.0f + static_cast<float>(i % 5);
    const auto gamma = full<float, 64>(1.0f), beta = full<float, 64>(0.0f);
    check(layer_norm(x, gamma, beta, 1e-5), 1e-4);
}

TEST(row_chains, rows_without_a_finite_element) {
    support::random_numbers random(8);
    auto x = random.normal<float, 13, 20>();
    for (std::size_t c = 0; c < 20; ++c) x(0, c) = x(6, c) = x(12, c) = -std::numeric_limits<float>::infinity();
    x(3, 4) = std::numeric_limits<float>::quiet_NaN();
    const tensor<float, 13, 20> y = softmax(x);
    for (std::size_t r = 0; r < 13; ++r) {
        float sum = 0;
        for (std::size_t c = 0; c < 20; ++c) sum += y(r, c);
        if (r == 3)
            EXPECT_NE(sum, sum);
        else
            EXPECT_NEAR(sum, r % 6 == 0 ? 0.0f : 1.0f, 1e-5f) << r;
    }
}

}  // namespace
