// SPDX-License-Identifier: BSL-1.0
// Attention by kernels against the reference: sizes of tiles, masks, options, layouts of values, and doubles.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
struct case_of {
    support::random_numbers random{1};
    tensor<float, Queries, Depth> q = random.normal<float, Queries, Depth>();
    tensor<float, Keys, Depth> k = random.normal<float, Keys, Depth>();
    tensor<float, Keys, Values> v = random.normal<float, Keys, Values>();

    case_of() { check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values); }
    void check_mask(const auto& mask, const auto& keep) const {
        reference::attention_options options;
        options.keep = [&](const reference::index&, std::size_t i, std::size_t j) { return keep(i, j); };
        check(attention(q, k, v, mask), reference::attend(of(q), of(k), of(v), options).values);
    }
};

TEST(attention, extents_and_masks) {
    case_of<1, 1, 1, 1>();
    case_of<1, 37, 8, 16>();
    case_of<17, 19, 5, 7>();
    case_of<70, 67, 20, 33> tiles;
    tiles.check_mask(causal, [](auto i, auto j) { return j <= i; });
    tiles.check_mask(keys_below(33), [](auto, auto j) { return j < 33; });
    const auto m = tiles.random.truths<70, 67>(0.3);
    tiles.check_mask(keep(m), [&](auto i, auto j) { return m(i, j); });
}

/// What is excluded does not leak through any kernel, whatever the layout of the values.
TEST(attention, nothing_leaks) {
    support::random_numbers random(1);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 35, 8>();
    auto turned = random.normal<float, 9, 35>();
    for (std::size_t i = 0; i < 9; ++i) turned(i, 33) = std::numeric_limits<float>::quiet_NaN();
    auto column = random.normal<float, 35, 1>();
    column(34, 0) = std::numeric_limits<float>::infinity();
    const auto weights = softmax(masked(matmul(q, transpose(k)), causal && keys_below(33)));
    check(matmul(weights, transpose(turned)));
    check(matmul(weights, column));
    check(matmul(weights, reshape<35>(column)));
    check(attention(row(q, 3) + zeros<float, 1, 8>(), k, transpose(turned), keys_below(33)));
}

TEST(attention, elementwise_weights) {
    support::random_numbers random(2);
    const auto q = random.normal<float, 17, 8>();
    const auto k = random.normal<float, 35, 8>();
    const auto v = random.normal<float, 35, 4>();
    check(transpose(matmul(softmax(masked(matmul(q, transpose(k)), causal)), v)));
    check(matmul(transpose(softmax(masked(matmul(q, transpose(k)), causal))), q));
    check(sum<0>(softmax(masked(matmul(q, transpose(k)), causal))));
    check(log_softmax(masked(matmul(q, transpose(k)), causal_at(-4))), 1e-5);
    check(logsumexp(masked(matmul(q, transpose(k)), causal_at(-4))), 1e-5);
}

TEST(attention, options) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 21, 8>();
    const auto v = random.normal<float, 21, 5>();
    const auto b = random.normal<float, 37, 21>();
    reference::attention_options options;
    options.scale = 0.7;
    options.softcap = 2;
    options.bias = of(b);
    options.score_mod = [](double s, std::size_t i, std::size_t j) {
        return s - 0.25 * (static_cast<double>(i) - static_cast<double>(j));
    };
    options.keep = [](const reference::index&, std::size_t i, std::size_t j) { return j <= i; };
    const auto slope = score_mod([](auto s, auto i, auto j) { return s - 0.25f * (i - j); });
    check(attention(q, k, v, bias(b), causal, softcap(2.0f), slope, scale(0.7f)),
          reference::attend(of(q), of(k), of(v), options).values);
    check(attention_weights(q, k, bias(b), causal, softcap(2.0f), slope, scale(0.7f)),
          reference::attend(of(q), of(k), of(v), options).weights);
}

TEST(attention, doubles) {
    support::random_numbers random(7);
    const auto q = random.normal<double, 19, 8>();
    const auto k = random.normal<double, 21, 8>();
    const auto v = random.normal<double, 21, 5>();
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values, 1e-12);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(attention_options_death, a_cap_below_zero) { EXPECT_DEATH(static_cast<void>(softcap(-1.0f)), "must be positive"); }
#endif

}  // namespace
