// SPDX-License-Identifier: BSL-1.0
// Options of attention by kernels, and doubles.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

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
    check(attention(q, k, v, bias(b), softcap(2.0f), scale(0.7f)),
          reference::attend(of(q), of(k), of(v), options).values);
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
    check(attention(q, k, v, causal), 1e-12);
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values, 1e-12);
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(attention_options_death, a_cap_below_zero) { EXPECT_DEATH(static_cast<void>(softcap(-1.0f)), "must be positive"); }
#endif

}  // namespace
