// SPDX-License-Identifier: BSL-1.0
// group_norm and batch_norm against loops, and batch_norm folded into the layer before it.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::as;
using support::check;
using support::fill;
using support::state;

/// [batch, channels, times] normed by groups, by definition.
[[gnu::noinline]] reference::array normed(const reference::array& x, const state& s, std::size_t groups) {
    const std::size_t channels = x.extents[1], time = x.extents[2], count = channels / groups * time;
    reference::array y = x;
    for (std::size_t first = 0; first < y.size(); first += count) {
        double mean = 0, variance = 0;
        for (std::size_t i = first; i < first + count; ++i) mean += x.values[i] / static_cast<double>(count);
        for (std::size_t i = first; i < first + count; ++i)
            variance += (x.values[i] - mean) * (x.values[i] - mean) / static_cast<double>(count);
        for (std::size_t i = first; i < first + count; ++i) {
            const std::size_t c = i / time % channels;
            double& v = y.values[i];
            v = (v - mean) / std::sqrt(variance + 1e-5);
            if (!s.arrays.empty()) v = v * s.arrays[0].values[c] + s.arrays[1].values[c];
        }
    }
    return y;
}
TEST(channels, group_norm) {
    static nn::group_norm<{.groups = 1, .channels = 6}> all{};
    const auto x = support::random_numbers(6).normal<float, 2, 6, 17>();
    check(all(x), normed(reference::of(x), fill(all, 5), 1), 1e-5);
    static nn::group_norm<{.groups = 3, .channels = 6}> groups{};
    const auto tanh_of = [](double e) { return std::tanh(e); };
    check(groups(tanh(x)), normed(reference::map(reference::of(x), tanh_of), fill(groups, 5), 3), 1e-5);
    static nn::group_norm<{.groups = 2, .channels = 4, .affine = false, .batch = false}> without{};
    const auto z = support::random_numbers(6).normal<float, 4, 9>();
    check(without(z), as(normed(as(reference::of(z), {1, 4, 9}), {}, 2), {4, 9}), 1e-5);
    static nn::group_norm<{.groups = 2, .channels = 8, .channels_last = true}> last{};
    const auto turned = support::random_numbers(6).normal<float, 3, 9, 8>();
    const auto first = reference::transpose(reference::of(turned));
    check(last(turned * 1.0f), reference::transpose(normed(first, fill(last, 5), 2)), 1e-5);
}

TEST(channels, group_norm_of_images) {
    static nn::group_norm<{.groups = 2, .channels = 6}> norm{};
    static nn::group_norm<{.groups = 2, .channels = 6, .channels_last = true}> last{};
    const state s = fill(norm, 5);
    fill(last, 5);
    const auto x = support::random_numbers(6).normal<float, 2, 6, 3, 5>();
    check(norm(x), as(normed(as(reference::of(x), {2, 6, 15}), s, 2), {2, 6, 3, 5}), 1e-5);
    const auto turned = support::random_numbers(7).normal<float, 2, 3, 5, 6>();
    const auto first = reference::transpose(as(reference::of(turned), {2, 15, 6}));
    check(last(turned), as(reference::transpose(normed(first, s, 2)), {2, 3, 5, 6}), 1e-5);
    EXPECT_EQ(std::string(explain(last(turned)).c_str()).find("permute"), std::string::npos) << "an image is turned";
    const std::string text(explain(norm(x)).c_str());
    const std::size_t once = text.find("deviation");
    EXPECT_NE(once, std::string::npos) << text;
    EXPECT_EQ(text.find("deviation", once + 1), std::string::npos) << "statistics are computed again:\n" << text;
}

/// Normed by the running statistics of each channel: of [batch, channels, time].
[[gnu::noinline]] reference::array normed_by(const state& s, reference::array y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t c = i / y.extents[2] % y.extents[1];
        y.values[i] =
            (y.values[i] - s.arrays[2].values[c]) / std::sqrt(s.arrays[3].values[c] + 1e-5) * s.arrays[0].values[c] +
            s.arrays[1].values[c];
    }
    return y;
}
TEST(channels, batch_norm) {
    static nn::batch_norm<{.channels = 9}> norm{};
    const state s = fill(norm, 4);
    const auto x = support::random_numbers(6).normal<float, 2, 9, 5>();
    check(norm(x), normed_by(s, reference::of(x)), 1e-5);

    static nn::conv1d<{.in = 4, .out = 9, .kernel = 3, .bias = false}> conv{};
    static nn::conv1d<{.in = 4, .out = 9, .kernel = 3}> folded{};
    const state of_conv = fill(conv, 7);
    nn::fold(folded, conv, norm);
    const auto signal = support::random_numbers(9).normal<float, 2, 4, 21>();
    const auto y = normed_by(s, support::convolved(reference::of(signal), of_conv, {.kernel = 3}, 1));
    check(folded(signal), y, 1e-4);
    nn::fold(folded, folded, norm);
    check(folded(signal), normed_by(s, y), 1e-4);

    static nn::linear<{.in = 7, .out = 9}> linear{};
    const state l = fill(linear, 1);
    nn::fold(linear, linear, norm);
    const auto z = support::random_numbers(9).normal<float, 6, 7>();
    const auto rows =
        reference::add(reference::matmul(reference::of(z), reference::transpose(l.arrays[0])), l.arrays[1]);
    check(linear(z), as(normed_by(s, as(rows, {6, 9, 1})), {6, 9}), 1e-4);
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
