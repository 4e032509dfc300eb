// SPDX-License-Identifier: BSL-1.0
// group_norm and batch_norm against loops, and batch_norm folded into the layer before it.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::as;
using support::check;
using support::fill;
using support::state;

template <nn::group_norm_options Options, std::size_t Batch, std::size_t Time>
void grouped() {
    constexpr std::size_t channels = Options.channels, per = channels / Options.groups;
    static nn::group_norm<Options> norm{};
    const state s = fill(norm, 5);
    const auto x = support::random_numbers(6).normal<float, Batch, channels, Time>();
    reference::array y = reference::of(x);
    for (std::size_t g = 0; g < Batch * Options.groups; ++g) {
        const std::size_t count = per * Time;
        double mean = 0, variance = 0;
        for (std::size_t i = 0; i < count; ++i) mean += y.values[g * count + i] / static_cast<double>(count);
        for (std::size_t i = 0; i < count; ++i)
            variance +=
                (y.values[g * count + i] - mean) * (y.values[g * count + i] - mean) / static_cast<double>(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t c = g % Options.groups * per + i / Time;
            double& v = y.values[g * count + i];
            v = (v - mean) / std::sqrt(variance + 1e-5);
            if (Options.affine) v = v * s.arrays[0].values[c] + s.arrays[1].values[c];
        }
    }
    if constexpr (Options.channels_last) {
        const tensor<float, Batch, Time, channels> turned = transpose(x);
        check(norm(turned), reference::permute(y, {0, 2, 1}), 1e-5);
        check(norm(turned * 1.0f), reference::permute(y, {0, 2, 1}), 1e-5);
    } else {
        check(norm(x), y, 1e-5);
        check(norm(tanh(x)));
    }
}
TEST(channels, group_norm) {
    grouped<{.groups = 1, .channels = 6}, 2, 17>();
    grouped<{.groups = 3, .channels = 12}, 2, 8>();
    grouped<{.groups = 4, .channels = 4, .affine = false}, 1, 5>();
    grouped<{.groups = 2, .channels = 8, .channels_last = true}, 3, 9>();
    static nn::group_norm<{.groups = 2, .channels = 4}> with{};
    static nn::group_norm<{.groups = 2, .channels = 4, .batch = false}> without{};
    fill(with, 8);
    fill(without, 8);
    const auto x = support::random_numbers(6).normal<float, 1, 4, 9>();
    check(without(x[0]), as(reference::of(eval(with(x))), {4, 9}), 1e-5);
}

TEST(channels, group_norm_of_images) {
    static nn::group_norm<{.groups = 2, .channels = 6}> norm{};
    static nn::group_norm<{.groups = 2, .channels = 6, .channels_last = true}> last{};
    fill(norm, 5);
    fill(last, 5);
    const auto x = support::random_numbers(6).normal<float, 2, 6, 3, 5>();
    const auto y = reference::of(eval(norm(reshape<2, 6, 15>(x))));
    check(norm(x), as(y, {2, 6, 3, 5}), 1e-5);
    const tensor<float, 2, 3, 5, 6> turned = permute<0, 2, 3, 1>(x);
    check(last(turned), reference::permute(as(y, {2, 6, 3, 5}), {0, 2, 3, 1}), 1e-5);
    EXPECT_EQ(std::string(explain(last(turned)).c_str()).find("permute"), std::string::npos) << "an image is turned";
    const std::string text(explain(norm(x)).c_str());
    const std::size_t once = text.find("deviation");
    EXPECT_NE(once, std::string::npos) << text;
    EXPECT_EQ(text.find("deviation", once + 1), std::string::npos) << "statistics are computed again:\n" << text;
}

TEST(channels, batch_norm) {
    static nn::batch_norm<{.channels = 9}> norm{};
    const state s = fill(norm, 4);
    const auto x = support::random_numbers(6).normal<float, 2, 9, 5>();
    reference::array y = reference::of(x);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t c = i / 5 % 9;
        y.values[i] =
            (y.values[i] - s.arrays[2].values[c]) / std::sqrt(s.arrays[3].values[c] + 1e-5) * s.arrays[0].values[c] +
            s.arrays[1].values[c];
    }
    check(norm(x), y, 1e-5);

    static nn::conv1d<{.in = 4, .out = 9, .kernel = 3, .bias = false}> conv{};
    static nn::conv1d<{.in = 4, .out = 9, .kernel = 3}> folded{};
    fill(conv, 7);
    nn::fold(folded, conv, norm);
    const auto signal = support::random_numbers(9).normal<float, 2, 4, 21>();
    check(folded(signal), reference::of(eval(norm(conv(signal)))), 1e-4);
    nn::fold(folded, folded, norm);
    check(folded(signal), reference::of(eval(norm(norm(conv(signal))))), 1e-4);

    static nn::linear<{.in = 7, .out = 9}> linear{};
    static nn::batch_norm<{.channels = 9}> rows{};
    fill(linear, 1);
    rows = norm;
    const auto z = support::random_numbers(9).normal<float, 6, 7>();
    const tensor<float, 6, 9> expected = rows(linear(z));
    nn::fold(linear, linear, rows);
    check(linear(z), reference::of(expected), 1e-4);
}

// A matrix of the same shape does not make a layer the same: [6, 9] of three taps of two channels, or of two of three.
template <nn::conv1d_options To, nn::conv1d_options From>
constexpr bool foldable =
    nn::detail::folded_modules<nn::conv1d<To>, nn::conv1d<From>, nn::batch_norm<{.channels = 9}>>::agree;
static_assert(foldable<{.in = 2, .out = 9, .kernel = 3}, {.in = 2, .out = 9, .kernel = 3, .bias = false}>);
static_assert(!foldable<{.in = 3, .out = 9, .kernel = 2}, {.in = 2, .out = 9, .kernel = 3}>);
static_assert(!foldable<{.in = 2, .out = 9, .kernel = 3}, {.in = 2, .out = 9, .kernel = 3, .stride = 2}>);
static_assert(!foldable<{.in = 2, .out = 9, .kernel = 3, .padding = 1}, {.in = 2, .out = 9, .kernel = 3}>);

}  // namespace
