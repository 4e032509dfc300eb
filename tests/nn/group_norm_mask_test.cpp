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
template <nn::group_norm_options Options, class Lengths>
reference::array normed(reference::array y, const state& s, const Lengths& lengths) {
    constexpr std::size_t channels = Options.channels, per = channels / Options.groups;
    const std::size_t time = y.extents[2];
    for (std::size_t b = 0; b < y.extents[0]; ++b)
        for (std::size_t g = 0; g < Options.groups; ++g) {
            double* const v = y.values.data() + (b * channels + g * per) * time;
            const auto count = static_cast<double>(per * lengths(b));
            double mean = 0, square = 0;
            for (std::size_t c = 0; c < per; ++c)
                for (std::size_t t = 0; t < lengths(b); ++t) {
                    mean += v[c * time + t] / count;
                    square += v[c * time + t] * v[c * time + t] / count;
                }
            const double variance = square - mean * mean;
            for (std::size_t c = 0; c < per; ++c)
                for (std::size_t t = 0; t < time; ++t) {
                    double& z = v[c * time + t];
                    z = (z - mean) / std::sqrt(variance + Options.eps);
                    z = z * s.arrays[0].values[g * per + c] + s.arrays[1].values[g * per + c];
                }
        }
    return y;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// Of a computed input, with no numbers behind the lengths.
TEST(group_norm_mask, lengths_of_a_batch) {
    constexpr nn::group_norm_options options{.groups = 3, .channels = 12};
    static nn::group_norm<options> norm{};
    const state s = fill(norm, 5);
    auto x = support::random_numbers(6).normal<float, 3, 12, 33>();
    const tensor<int, 3> lengths{32, 5, 33};
    const auto count = [&](std::size_t b) { return static_cast<std::size_t>(lengths(b)); };
    const reference::array expected =
        normed<options>(reference::map(reference::of(x), [](double v) { return std::tanh(v); }), s, count);
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t c = 0; c < 12; ++c)
            for (std::size_t t = count(b); t < 33; ++t) x(b, c, t) = nan;
    const tensor<float, 3, 12, 33> y = norm(tanh(x), keys_below(lengths));
    for (std::size_t b = 0; b < 3; ++b)
        for (std::size_t c = 0; c < 12; ++c)
            for (std::size_t t = 0; t < count(b); ++t)
                ASSERT_NEAR(y(b, c, t), expected.values[(b * 12 + c) * 33 + t], 1e-5) << b << ' ' << c << ' ' << t;
}

// In place, with no numbers behind the length.
TEST(group_norm_mask, without_a_batch) {
    constexpr nn::group_norm_options options{.groups = 1, .channels = 8, .batch = false, .channels_last = true};
    static nn::group_norm<options> norm{};
    const state s = fill(norm, 8);
    const auto x = support::random_numbers(6).normal<float, 40, 8>();
    for (const std::size_t n : {1u, 2u, 16u, 17u, 40u}) {
        tensor<float, 40, 8> rows = x;
        for (std::size_t i = n; i < 40; ++i) rows[i] = full<float, 8>(nan);
        evaluate(rows, norm(rows, keys_below(n)), rows_below(n));
        const reference::array expected = normed<options>(
            support::as(reference::transpose(reference::of(x)), {1, 8, 40}), s, [n](auto) { return n; });
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < 8; ++c) ASSERT_NEAR(rows(i, c), expected.values[c * 40 + i], 1e-5) << n;
    }
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

// Means are those of the kept times, and no others are computed: scratch holds no numbers before.
TEST(group_norm_mask, times_that_are_computed) {
    constexpr nn::group_norm_options options{.groups = 2, .channels = 8, .channels_last = true};
    static nn::group_norm<options> norm{};
    const state s = fill(norm, 8);
    static auto x = support::random_numbers(6).normal<float, 2, 96, 8>();
    const tensor<int, 2> lengths{5, 40};
    const auto count = [&](std::size_t b) { return static_cast<std::size_t>(lengths(b)); };
    const reference::array expected = normed<options>(reference::transpose(reference::of(x)), s, count);
    const auto e = norm(map(counted, x), keys_below(lengths));
    static tensor<float, 2, 96, 8> y;
    const auto expect_near = [&](std::size_t first, std::size_t second) {
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t t = 0; t < (b == 0 ? first : second); ++t)
                for (std::size_t c = 0; c < 8; ++c)
                    ASSERT_NEAR(y(b, t, c), expected.values[(b * 8 + c) * 96 + t], 1e-5) << b << ' ' << t;
    };
    static workspace<workspace_bytes<std::remove_const_t<decltype(e)>>> scratch;
    const auto spoil = [&] { std::memset(static_cast<void*>(scratch.bytes), 0xff, sizeof scratch.bytes); };
    spoil();
    evaluate(y, e, scratch);
    expect_near(96, 96);
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = count(b); t < 96; ++t) x[b][t] = full<float, 8>(nan);
    spoil();
    calls = 0;
    evaluate(y, e, scratch, rows_below(lengths));
    EXPECT_GE(calls, (5u + 40u) * 8);
    EXPECT_LE(calls, 3 * (16u + 48u) * 8) << "for means, deviations and the result, in tiles of 32 and 16 rows";
    expect_near(5, 40);
}

}  // namespace
