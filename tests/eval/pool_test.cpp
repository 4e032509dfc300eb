// SPDX-License-Identifier: BSL-1.0
// pad, avg_pool, max_pool and upsample by kernels against loops over PyTorch's definitions.
#include <cmath>
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr tensor<float, 5> numbers{1, 2, 3, 4, 5};
static_assert(all(pad<0, 1, 2>(numbers, 9) == tensor<float, 8>{9, 1, 2, 3, 4, 5, 9, 9}));
static_assert(all(pad<0, 1>(numbers) == tensor<float, 7>{0, 1, 2, 3, 4, 5, 0}));
static_assert(all(avg_pool<{.kernel = 2}>(numbers) == tensor<float, 2>{1.5f, 3.5f}));
static_assert(all(avg_pool<{.kernel = 2, .stride = 1, .padding = 1}>(numbers) ==
                  tensor<float, 6>{0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 2.5f}));
static_assert(all(avg_pool<{.kernel = 2, .stride = 1, .padding = 1, .count_include_pad = false}>(numbers) ==
                  tensor<float, 6>{1, 1.5f, 2.5f, 3.5f, 4.5f, 5}));
static_assert(all(max_pool<{.kernel = 2, .stride = 2, .padding = 1, .dilation = 2}>(-numbers) ==
                  tensor<float, 3>{-2, -2, -4}));
static_assert(all(max_pool<{.kernel = 3}>(tensor<int, 5>{-5, -4, -3, -2, -1}) == tensor<int, 1>{-3}));
static_assert(all(max_pool<{.kernel = 2, .ceil_mode = true}>(numbers) == tensor<float, 3>{2, 4, 5}));
static_assert(all(avg_pool<{.kernel = 2, .ceil_mode = true}>(numbers) == tensor<float, 3>{1.5f, 3.5f, 5}));
static_assert(all(avg_pool<{.kernel = 3, .stride = 2, .padding = 1, .ceil_mode = true}>(slice<0, 0, 4>(numbers)) ==
                  tensor<float, 3>{1, 3, 2}));
// A window that would begin in the padding is none, and one alone may be longer than the axis.
static_assert(all(max_pool<{.kernel = 2, .padding = 1, .ceil_mode = true}>(numbers) == tensor<float, 3>{1, 3, 5}));
static_assert(all(max_pool<{.kernel = 3, .stride = 2, .ceil_mode = true}>(slice<0, 0, 2>(numbers)) ==
                  tensor<float, 1>{2}));
static_assert(all(upsample<{.factor = 2}>(slice<0, 0, 2>(numbers)) == tensor<float, 4>{1, 1, 2, 2}));
static_assert(all(upsample<{.factor = 2, .mode = upsample_mode::linear}>(slice<0, 0, 2>(numbers)) ==
                  tensor<float, 4>{1, 1.25f, 1.75f, 2}));

struct pooling {
    std::size_t axis, kernel, stride, padding, dilation;
    bool largest, count_include_pad, ceil_mode = false;
};
/// One axis of a pool by its definition, over sums and how many there are.
reference::array pooled(const reference::array& a, const pooling& p) {
    std::vector<std::size_t> extents = a.extents;
    const std::size_t extent = extents[p.axis];
    std::size_t& windows = extents[p.axis];
    windows =
        (extent + 2 * p.padding + (p.ceil_mode ? p.stride - 1 : 0) - p.dilation * (p.kernel - 1) - 1) / p.stride + 1;
    if (p.ceil_mode && (windows - 1) * p.stride >= extent + p.padding) --windows;
    reference::array out = reference::make(extents);
    for (std::size_t i = 0; i < out.size(); ++i) {
        reference::index at = reference::coordinates(extents, i);
        const std::size_t first = at[p.axis] * p.stride;
        double sum = 0, most = -std::numeric_limits<double>::infinity();
        std::size_t count = 0, with_padding = 0;
        for (std::size_t place = first; place < first + p.kernel * p.dilation; place += p.dilation) {
            if (place < extent + 2 * p.padding) ++with_padding;
            if (place < p.padding || place >= extent + p.padding) continue;
            at[p.axis] = place - p.padding;
            sum += reference::at(a, at);
            most = std::max(most, reference::at(a, at));
            ++count;
        }
        out.values[i] = p.largest ? most : sum / static_cast<double>(p.count_include_pad ? with_padding : count);
    }
    return out;
}
/// Along `axis` and the next one.
reference::array pooled(const reference::array& a, std::size_t axis, pooling first, pooling second) {
    first.axis = axis;
    second.axis = axis + 1;
    return pooled(pooled(a, second), first);
}

template <std::size_t Extent>
void at_extent() {
    support::random_numbers random(Extent);
    const auto x = random.normal<float, 2, 3, Extent + 3>();
    const auto y = random.normal<float, Extent + 3, 5>();
    const auto a = reference::of(x), b = reference::of(y);
    check(avg_pool<{.kernel = 3}>(x), pooled(a, {2, 3, 3, 0, 1, false, true}));
    check(avg_pool<{.kernel = 3, .stride = 2, .padding = 1}>(x), pooled(a, {2, 3, 2, 1, 1, false, true}));
    check(avg_pool<{.kernel = 4, .stride = 1, .padding = 2, .count_include_pad = false}>(exp(x)),
          pooled(reference::map(a, [](double v) { return std::exp(v); }), {2, 4, 1, 2, 1, false, false}), 1e-5);
    check(max_pool<{.kernel = 2, .stride = 3, .padding = 1, .dilation = 2}>(x), pooled(a, {2, 2, 3, 1, 2, true, true}));
    check(max_pool<{.kernel = 3, .stride = 1, .channels_last = true}>(y), pooled(b, {0, 3, 1, 0, 1, true, true}));
    check(avg_pool<{.kernel = 3, .stride = 2, .padding = 1, .channels_last = true}>(y * 1.0f),
          pooled(b, {0, 3, 2, 1, 1, false, true}));
}

TEST(pool, extents_around_a_register) {
    at_extent<1>();
    at_extent<29>();
}

TEST(pool, two_axes) {
    support::random_numbers random(5);
    const auto x = random.normal<float, 2, 11, 18>();
    const auto y = random.normal<float, 11, 18, 3>();
    const auto a = reference::of(x), b = reference::of(y);
    check(avg_pool<{.kernel = {2, 3}, .stride = {1, 2}, .padding = {1, 0}}>(x),
          pooled(a, 1, {0, 2, 1, 1, 1, false, true}, {0, 3, 2, 0, 1, false, true}));
    check(avg_pool<{.kernel = {3, 3}, .stride = 2, .padding = 1, .count_include_pad = false, .channels_last = true}>(y),
          pooled(b, 0, {0, 3, 2, 1, 1, false, false}, {0, 3, 2, 1, 1, false, false}));
    check(max_pool<{.kernel = {3, 2}, .padding = {1, 1}}>(x),
          pooled(a, 1, {0, 3, 3, 1, 1, true, true}, {0, 2, 2, 1, 1, true, true}));
}

template <std::size_t Extent>
void rounded_up() {
    support::random_numbers random(Extent);
    const auto x = random.normal<float, 2, Extent, Extent + 4>();
    const auto a = reference::of(x);
    check(avg_pool<{.kernel = {2, 3}, .stride = {2, 4}, .padding = {1, 1}, .ceil_mode = true}>(x),
          pooled(a, 1, {0, 2, 2, 1, 1, false, true, true}, {0, 3, 4, 1, 1, false, true, true}));
    check(avg_pool<{
              .kernel = {3, 2}, .stride = {2, 3}, .padding = {1, 0}, .ceil_mode = true, .count_include_pad = false}>(x),
          pooled(a, 1, {0, 3, 2, 1, 1, false, false, true}, {0, 2, 3, 0, 1, false, false, true}));
    check(max_pool<{.kernel = {3, 2}, .stride = {2, 3}, .padding = {1, 1}, .dilation = {1, 2}, .ceil_mode = true}>(x),
          pooled(a, 1, {0, 3, 2, 1, 1, true, true, true}, {0, 2, 3, 1, 2, true, true, true}));
}
TEST(pool, the_last_window_may_stand_out) {
    rounded_up<1>();
    rounded_up<12>();
}

TEST(pool, upsampled) {
    support::random_numbers random(6);
    const auto x = random.normal<float, 3, 5, 17>();
    const auto a = reference::of(x);
    const auto larger = [](const reference::array& from, std::size_t axis, std::size_t factor, bool linear) {
        std::vector<std::size_t> extents = from.extents;
        const std::size_t extent = extents[axis];
        extents[axis] *= factor;
        reference::array out = reference::make(extents);
        for (std::size_t i = 0; i < out.size(); ++i) {
            reference::index at = reference::coordinates(extents, i);
            const double place = (static_cast<double>(at[axis]) + 0.5) / static_cast<double>(factor) - 0.5;
            const std::size_t nearest = at[axis] / factor;
            const double bounded = std::max(place, 0.0);
            const auto first = static_cast<std::size_t>(bounded);
            at[axis] = linear ? first : nearest;
            out.values[i] = reference::at(from, at);
            if (!linear) continue;
            const double weight = bounded - static_cast<double>(first);
            at[axis] = std::min(first + 1, extent - 1);
            out.values[i] = out.values[i] * (1 - weight) + reference::at(from, at) * weight;
        }
        return out;
    };
    check(upsample<{.factor = {2, 3}}>(x), larger(larger(a, 2, 3, false), 1, 2, false));
    check(upsample<{.factor = {2, 4}, .mode = upsample_mode::linear}>(x), larger(larger(a, 2, 4, true), 1, 2, true));
    check(upsample<{.factor = 2, .mode = upsample_mode::linear, .channels_last = true}>(x), larger(a, 1, 2, true));
}

}  // namespace
