// SPDX-License-Identifier: BSL-1.0
// Attention by kernels against the reference: options, masks, groups of queries, what must not leak.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;
using reference::of;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
struct extents {
    static constexpr std::size_t queries = Queries, keys = Keys, depth = Depth, values = Values;
};

template <class Shape>
class attention_of : public testing::Test {};
using cases = testing::Types<extents<1, 1, 1, 1>, extents<16, 16, 16, 16>, extents<17, 19, 5, 7>, extents<1, 37, 8, 16>,
                             extents<40, 1, 4, 3>, extents<70, 67, 20, 33>>;
TYPED_TEST_SUITE(attention_of, cases);

TYPED_TEST(attention_of, masks) {
    using s = TypeParam;
    support::random_numbers random(1);
    const auto q = random.normal<float, s::queries, s::depth>();
    const auto k = random.normal<float, s::keys, s::depth>();
    const auto v = random.normal<float, s::keys, s::values>();
    const auto expected = [&](auto keep) {
        reference::attention_options options;
        options.keep = [=](const reference::index&, std::size_t i, std::size_t j) { return keep(i, j); };
        return reference::attend(of(q), of(k), of(v), options).values;
    };
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values);
    check(attention(q, k, v, causal), expected([](auto i, auto j) { return j <= i; }));
    check(attention(q, k, v, causal_at(-3)), expected([](auto i, auto j) { return j + 3 <= i; }));
    check(attention(q, k, v, keys_below(s::keys / 2)), expected([](auto, auto j) { return j < s::keys / 2; }));
    const auto m = random.truths<s::queries, s::keys>(0.3);
    check(attention(q, k, v, keep(m)), expected([&](auto i, auto j) { return m(i, j); }));
}

template <std::size_t Queries, std::size_t Keys, class Mask>
void masks_alike(const Mask& mask) {
    support::random_numbers random(2);
    const auto q = random.normal<float, Queries, 6>();
    const auto k = random.normal<float, Keys, 6>();
    const auto v = random.normal<float, Keys, 9>();
    check(attention(q, k, v, mask));
}

TEST(attention, every_mask) {
    support::random_numbers random(3);
    masks_alike<37, 35>(causal_at<-2>());
    masks_alike<37, 50>(causal_at<13>());
    masks_alike<50, 37>(causal_at(-60));
    masks_alike<50, 37>(causal_at(60));
    masks_alike<50, 53>(sliding_window<3, 2>);
    masks_alike<50, 53>(sliding_window<20, 0> && causal);
    masks_alike<33, 33>(!causal);
    masks_alike<33, 33>(causal || keys_below(4));
    masks_alike<33, 33>(causal && !keys_below(4));
    masks_alike<33, 33>(keys_below(0));
    masks_alike<33, 33>(keys_below(99));
    masks_alike<33, 33>(keep_if([](std::size_t i, std::size_t j) { return (i + j) % 3 == 0; }));
    const auto row = random.truths<33>(0.5);
    masks_alike<33, 33>(ignore(row));
    masks_alike<33, 33>(keep(row) && causal);
}

TEST(attention, options) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 21, 8>();
    const auto v = random.normal<float, 21, 5>();
    const auto b = random.normal<float, 37, 21>();
    reference::attention_options options;
    options.scale = 0.7;
    check(attention(q, k, v, scale(0.7f)), reference::attend(of(q), of(k), of(v), options).values);
    options.softcap = 2;
    check(attention(q, k, v, softcap(2.0f), scale(0.7f)), reference::attend(of(q), of(k), of(v), options).values);
    options.bias = of(b);
    check(attention(q, k, v, bias(b), softcap(2.0f), scale(0.7f)), reference::attend(of(q), of(k), of(v), options).values);
    options.score_mod = [](double s, std::size_t i, std::size_t j) {
        return s - 0.25 * (static_cast<double>(i) - static_cast<double>(j));
    };
    options.keep = [](const reference::index&, std::size_t i, std::size_t j) { return j <= i; };
    const auto slope = score_mod([](auto s, auto i, auto j) { return s - 0.25f * (i - j); });
    check(attention(q, k, v, bias(b), causal, softcap(2.0f), slope, scale(0.7f)), reference::attend(of(q), of(k), of(v), options).values);
    check(attention_weights(q, k, bias(b), causal, softcap(2.0f), slope, scale(0.7f)), reference::attend(of(q), of(k), of(v), options).weights);
}

TEST(attention, batches_and_groups) {
    support::random_numbers random(5);
    const auto q = random.normal<float, 2, 6, 17, 8>();
    const auto k = random.normal<float, 2, 3, 19, 8>();
    const auto v = random.normal<float, 2, 3, 19, 5>();
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values);
    check(attention(q, k, v, causal));
    const tensor<std::int32_t, 2, 1> lengths{{5}, {19}};
    check(attention(q, k, v, keys_below(lengths)));
    const auto m = random.truths<6, 1, 19>(0.7);
    check(attention(q, k, v, keep(m)));
    check(attention(q, slice<1, 0, 1>(k), slice<1, 0, 1>(v)));
    check(attention_weights(q, k, causal));
}

TEST(attention, nothing_leaks) {
    support::random_numbers random(6);
    const auto q = random.normal<float, 37, 8>();
    auto k = random.normal<float, 35, 8>();
    auto v = random.normal<float, 35, 9>();
    for (std::size_t i = 0; i < 8; ++i) k(20, i) = nan, k(33, i) = infinity;
    for (std::size_t i = 0; i < 9; ++i) v(20, i) = infinity, v(33, i) = nan, v(3, i) = nan;
    check(attention(q, k, v, causal));
    check(attention(q, k, v, keys_below(20)));
    check(attention(q, k, v, keep_if([](std::size_t, std::size_t j) { return j != 20 && j != 33 && j != 3; })));
    check(attention(q, k, v, sliding_window<2, 1>));
    check(attention_weights(q, k, causal));
    check(matmul(softmax(masked(matmul(q, transpose(k)), causal)) * 0.5f, v));
    const auto m = random.truths<37, 35>(0.3);
    check(attention(q, k, v, keep(m)));
    check(attention(q, k, v, causal && keep(m)));
}

TEST(attention, doubles) {
    support::random_numbers random(7);
    const auto q = random.normal<double, 19, 8>();
    const auto k = random.normal<double, 21, 8>();
    const auto v = random.normal<double, 21, 5>();
    check(attention(q, k, v, causal), 1e-12);
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values, 1e-12);
}

}  // namespace
