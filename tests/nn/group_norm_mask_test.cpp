// SPDX-License-Identifier: BSL-1.0
// group_norm by the times that a mask keeps, against loops over these.
#include <cstring>
#include <limits>
#include <type_traits>

#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::fill;
using support::state;

/// x [Batch, channels, Time] normed by the first times of each entry, by definition.
template <nn::group_norm_options Options, class Tensor, class Lengths>
reference::array normed(const Tensor& x, const state& s, const Lengths& lengths) {
    constexpr std::size_t batch = Tensor::extents[0], channels = Options.channels, time = Tensor::extents[2],
                          per = channels / Options.groups;
    reference::array y = reference::of(x);
    for (std::size_t b = 0; b < batch; ++b)
        for (std::size_t g = 0; g < Options.groups; ++g) {
            double* const v = y.values.data() + (b * channels + g * per) * time;
            const auto count = static_cast<double>(per * lengths(b));
            double mean = 0, variance = 0;
            for (std::size_t c = 0; c < per; ++c)
                for (std::size_t t = 0; t < lengths(b); ++t) mean += v[c * time + t] / count;
            for (std::size_t c = 0; c < per; ++c)
                for (std::size_t t = 0; t < lengths(b); ++t)
                    variance += (v[c * time + t] - mean) * (v[c * time + t] - mean) / count;
            for (std::size_t c = 0; c < per; ++c)
                for (std::size_t t = 0; t < time; ++t) {
                    double& z = v[c * time + t];
                    z = (z - mean) / std::sqrt(variance + Options.eps);
                    if (Options.affine) z = z * s.arrays[0].values[g * per + c] + s.arrays[1].values[g * per + c];
                }
        }
    return y;
}

/// The first times of a result, and no numbers behind them in the input.
template <nn::group_norm_options Options, std::size_t Batch, std::size_t Time>
void by_lengths(const tensor<int, Batch>& lengths) {
    constexpr std::size_t channels = Options.channels;
    static nn::group_norm<Options> norm{};
    const state s = fill(norm, 5);
    auto x = support::random_numbers(6).normal<float, Batch, channels, Time>();
    const auto count = [&](std::size_t b) { return static_cast<std::size_t>(lengths(b)); };
    const reference::array expected =
        normed<Options>(Options.channels_last ? x : tensor<float, Batch, channels, Time>(tanh(x)), s, count);
    for (std::size_t b = 0; b < Batch; ++b)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t t = count(b); t < Time; ++t) x(b, c, t) = std::numeric_limits<float>::quiet_NaN();
    const auto expect_near = [&](const auto& y) {
        for (std::size_t b = 0; b < Batch; ++b)
            for (std::size_t c = 0; c < channels; ++c)
                for (std::size_t t = 0; t < count(b); ++t)
                    ASSERT_NEAR(y(b, c, t), expected.values[(b * channels + c) * Time + t], 1e-5)
                        << b << ' ' << c << ' ' << t;
    };
    if constexpr (Options.channels_last) {
        tensor<float, Batch, Time, channels> rows = transpose(x);
        evaluate(rows, norm(rows, keys_below(lengths)), rows_below(lengths));
        const tensor<float, Batch, channels, Time> turned = transpose(rows);
        expect_near(turned);
    } else {
        expect_near(eval(norm(tanh(x), keys_below(lengths))));
    }
}

TEST(group_norm_mask, lengths_of_a_batch) {
    by_lengths<{.groups = 3, .channels = 12}, 3, 33>({32, 5, 33});
    by_lengths<{.groups = 2, .channels = 8, .channels_last = true}, 3, 19>({19, 3, 16});
}

TEST(group_norm_mask, without_a_batch) {
    static nn::group_norm<{.groups = 1, .channels = 8, .batch = false, .channels_last = true}> norm{};
    fill(norm, 8);
    const auto x = support::random_numbers(6).normal<float, 40, 8>();
    for (const std::size_t n : {1u, 2u, 16u, 17u, 40u}) {
        tensor<float, 40, 8> rows = x;
        for (std::size_t i = n; i < 40; ++i) rows[i] = full<float, 8>(std::numeric_limits<float>::quiet_NaN());
        evaluate(rows, norm(rows, keys_below(n)), rows_below(n));
        double mean = 0, square = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < 8; ++c) {
                mean += static_cast<double>(x(i, c)) / static_cast<double>(8 * n);
                square += static_cast<double>(x(i, c)) * x(i, c) / static_cast<double>(8 * n);
            }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < 8; ++c)
                ASSERT_NEAR(rows(i, c),
                            (x(i, c) - mean) / std::sqrt(square - mean * mean + 1e-5) * norm.weight(c) + norm.bias(c),
                            1e-5)
                    << n;
    }
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

// Means are those of the kept times, and no others are computed: scratch holds no numbers before.
TEST(group_norm_mask, times_that_are_computed) {
    static nn::group_norm<{.groups = 2, .channels = 8, .channels_last = true}> norm{};
    fill(norm, 8);
    static const auto x = support::random_numbers(6).normal<float, 2, 96, 8>();
    const tensor<int, 2> lengths{5, 40};
    const auto e = norm(map(counted, x), keys_below(lengths));
    static tensor<float, 2, 96, 8> whole, y;
    whole = e;
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>>> scratch;
    std::memset(static_cast<void*>(scratch.bytes), 0xff, sizeof scratch.bytes);
    calls = 0;
    evaluate(y, e, scratch, rows_below(lengths));
    EXPECT_GE(calls, (5u + 40u) * 8);
    EXPECT_LE(calls, 3 * (16u + 48u) * 8) << "for means, deviations and the result, in tiles of 32 and 16 rows";
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < static_cast<std::size_t>(lengths(b)); ++t)
            for (std::size_t c = 0; c < 8; ++c) ASSERT_NEAR(y(b, t, c), whole(b, t, c), 1e-5) << b << ' ' << t;
    std::memset(static_cast<void*>(scratch.bytes), 0xff, sizeof scratch.bytes);
    evaluate(y, e, scratch);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], whole.data()[i], 1e-5) << i;
}

}  // namespace
