// SPDX-License-Identifier: BSL-1.0
// keep_finite, the mask of a bias: what is minus infinity in it is not read; and caps of scores that cap nothing.
#include <cmath>
#include <limits>

#include <tests/support/additive_mask.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::additive, support::check, support::infinity, support::nan;

TEST(keep_finite, ports_an_additive_mask) {
    static const additive<float> a;
    const reference::attention_result expected =
        reference::attend(reference::of(a.q), reference::of(a.k), reference::of(a.v), a.options());
    // Rows that keep nothing are zeros.
    check(attention(a.q, a.k, a.v, bias(a.m), keep_finite(a.m)), expected.values, 4e-6);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(expected.values.values[5 * 9 + i], 0);
    // With the bias alone they are NaN.
    const tensor<float, 37, 9> leaky = attention(a.q, a.k, a.v, bias(a.m));
    EXPECT_TRUE(std::isnan(leaky(5, 0)));
    // Weights, and of a temporary.
    check(attention_weights(a.q, a.k, keep_finite(eval(a.m * 2.0f)), bias(a.m)), expected.weights, 4e-6);
}

template <class T>
void broadcasts() {
    support::random_numbers random(3);
    const auto q = random.normal<T, 2, 3, 4>();
    const auto k = random.normal<T, 2, 5, 4>(), v = random.normal<T, 2, 5, 4>();
    const auto expected = [&](auto kept) {
        reference::attention_options options;
        options.keep = [=](const reference::index& at, std::size_t, std::size_t j) { return kept(at[0], j); };
        return reference::attend(reference::of(q), reference::of(k), reference::of(v), options).values;
    };
    tensor<T, 5> m{0, -infinity<T>, nan<T>, infinity<T>, std::numeric_limits<T>::lowest()};
    const reference::array without = expected([](std::size_t, std::size_t j) { return j != 1; });
    check(attention(q, k, v, keep_finite(m)), without);
    tensor<T, 2, 1, 5> each{};
    each(1, 0, 4) = -infinity<T>;
    check(attention(q, k, v, keep_finite(each)),
          expected([](std::size_t b, std::size_t j) { return b == 0 || j != 4; }));
    // One query.
    check(attention(row(row(q, 0), 0), row(k, 0), row(v, 0), keep_finite(m)),
          {{4}, {without.values.begin(), without.values.begin() + 4}});
}
TEST(keep_finite, keeps_nan_and_plus_infinity_and_broadcasts) {
    broadcasts<float>();
    broadcasts<double>();
}

consteval tensor<float, 2, 2> attended() {
    tensor<float, 2, 3> m{{0, -infinity<float>, 0}, {-infinity<float>, -infinity<float>, -infinity<float>}};
    const tensor<float, 3, 2> kv{{1, 2}, {3e38f, 3e38f}, {3, 4}};
    return attention(tensor<float, 2, 2>{{0, 0}, {1, 1}}, kv, kv, bias(m), keep_finite(m));
}
static_assert(attended()(0, 0) == 2 && attended()(0, 1) == 3 && attended()(1, 0) == 0 && attended()(1, 1) == 0);

TEST(keep_finite, tiles_and_plans) {
    using scores = shape<std::size_t{4}, std::size_t{6}>;
    tensor<float, 4, 6> m{};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 2; j < 4; ++j) m(i, j) = -infinity<float>;
    const auto mask = keep_finite(m);
    static_assert(std::is_same_v<decltype(keep_finite(m)), decltype(keep_finite(std::as_const(m)))>);
    const auto content = [&](std::size_t k0, std::size_t k1) {
        return detail::mask_content<scores>(mask, {}, 0, 4, k0, k1);
    };
    EXPECT_EQ(content(0, 2), tile_content::full);
    EXPECT_EQ(content(2, 4), tile_content::empty);
    EXPECT_EQ(content(3, 5), tile_content::mixed);
    const tensor<float, 4, 8> q{};
    const tensor<float, 6, 8> k{};
    const auto e = attention(q, k, k, keep_finite(m));
    EXPECT_TRUE(explain(e).contains("masked(keep_finite(e))"));
    EXPECT_EQ(flops<decltype(e)>, flops<decltype(attention(q, k, k, keep(std::declval<tensor<bool, 4, 6>&>())))>);
}

// The mask's tensor is the destination.
TEST(keep_finite, destination_may_be_the_masks_tensor) {
    support::random_numbers random(8);
    const auto q = random.normal<float, 64, 8>();
    const auto k = random.normal<float, 64, 8>();
    const auto v = random.normal<float, 64, 64>();
    auto m = random.normal<float, 64, 64>();
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j)
            if ((i * 7 + j * 3) % 5 < 2) m(i, j) = -infinity<float>;
    tensor<float, 64, 64> y = m, expected, filled, moved;
    expected = attention(q, k, v, keep_finite(m));  // assigned, as y is: compiled once
    filled = masked(v, keep_finite(m));
    y = attention(q, k, v, keep_finite(y));
    reference::expect_near(y, reference::of(expected), 0);
    y = m;
    y = masked(v, keep_finite(y));
    reference::expect_near(y, reference::of(filled), 0);
    y = m;
    moved = masked(v, keep_finite(transpose(y)));
    y = masked(v, keep_finite(transpose(y)));
    reference::expect_near(y, reference::of(moved), 0);
}

TEST(softcap, zero_and_infinity_cap_nothing) {
    support::random_numbers random(9);
    const auto q = random.normal<float, 20, 8>();
    const auto k = random.normal<float, 30, 8>();
    const auto v = random.normal<float, 30, 8>();
    const reference::array expected = reference::attend(reference::of(q), reference::of(k), reference::of(v)).values;
    check(attention(q, k, v, softcap(infinity<float>)), expected);
    check(attention(q, k, v, softcap(1e300)), expected);  // infinity as a float
    check(attention(q, k, v, softcap(0)), expected);
}
static_assert([] {
    const tensor<float, 2, 2> x{{1, 2}, {3, 4}};
    const tensor<float, 2, 2> plain = attention(x, x, x), capped = attention(x, x, x, softcap(infinity<float>)),
                              off = attention(x, x, x, softcap(0.0));
    return plain(0, 0) == capped(0, 0) && plain(1, 1) == capped(1, 1) && plain(1, 0) == off(1, 0);
}());

}  // namespace
