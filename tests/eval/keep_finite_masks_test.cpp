// SPDX-License-Identifier: BSL-1.0
// keep_finite combined with other masks, and of operands that are not tensors in memory.
#include <limits>

#include <tests/support/additive_mask.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::additive, support::check, support::infinity;

TEST(keep_finite, combines_with_other_masks) {
    using T = float;
    static const additive<T> a;
    const double tolerance = 4e-6;
    const auto of = [](const auto& x) { return reference::of(x); };
    const auto compare = [&](const auto& e, auto keeps) {
        reference::attention_options options;
        options.keep = [&](const auto&, std::size_t i, std::size_t j) { return keeps(i, j); };
        check(e, reference::attend(of(a.q), of(a.k), of(a.v), options).values, tolerance);
    };
    const auto finite = [](std::size_t i, std::size_t j) { return a.m(i, j) != -infinity<T>; };
    compare(attention(a.q, a.k, a.v, keep_finite(a.m) && causal_at<20>()),
            [&](auto i, auto j) { return finite(i, j) && j <= i + 20; });
    compare(attention(a.q, a.k, a.v, keep_finite(a.m) && keys_below(50)),
            [&](auto i, auto j) { return finite(i, j) && j < 50; });
    compare(attention(a.q, a.k, a.v, !(!keep_finite(a.m) || !causal)),
            [&](auto i, auto j) { return finite(i, j) && j <= i; });
    compare(attention(a.q, a.k, a.v, keep_finite(a.m) || keys_below(10)),
            [&](auto i, auto j) { return finite(i, j) || j < 10; });
}

TEST(keep_finite, reads_elementwise_functions_and_other_axes) {
    using T = float;
    static const additive<T> a;
    const reference::array expected = reference::of(eval(attention(a.q, a.k, a.v, keep_finite(a.m))));
    const tensor<T, 70, 37> turned = transpose(a.m);
    const tensor<bool, 37, 70> present = a.m > std::numeric_limits<T>::lowest();
    const double tolerance = 4e-6;
    check(attention(a.q, a.k, a.v, keep_finite(transpose(turned))), expected, tolerance);
    check(attention(a.q, a.k, a.v, keep_finite(transpose(eval(turned + T(1))))), expected, tolerance);
    check(attention(a.q, a.k, a.v, keep_finite(a.m * T(3) + T(1))), expected, tolerance);
    check(attention(a.q, a.k, a.v, keep_finite(where(present, T(0), -infinity<T>))), expected, tolerance);
    check(attention(a.q, a.k, a.v, keep_finite(masked(a.m, keys_below(60)))),
          reference::of(eval(attention(a.q, a.k, a.v, keep_finite(a.m) && keys_below(60)))), tolerance);
}

}  // namespace
