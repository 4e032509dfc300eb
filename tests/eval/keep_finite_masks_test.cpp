// SPDX-License-Identifier: BSL-1.0
// keep_finite combined with other masks, and of operands that are not tensors in memory.
#include <limits>

#include <tests/support/additive_mask.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::infinity;

const support::additive<float> a;
bool is_finite(std::size_t i, std::size_t j) { return a.m(i, j) != -infinity<float>; }

template <class Mask>
void check(const Mask& mask, bool (*keeps)(std::size_t, std::size_t)) {
    reference::attention_options options;
    options.keep = [&](const auto&, std::size_t i, std::size_t j) { return keeps(i, j); };
    support::check(attention(a.q, a.k, a.v, mask), reference::attend(of(a.q), of(a.k), of(a.v), options).values, 4e-6);
}

TEST(keep_finite, combines_with_other_masks) {
    check(keep_finite(a.m) && causal_at<20>(), [](auto i, auto j) { return is_finite(i, j) && j <= i + 20; });
    check(!(!keep_finite(a.m) && !keys_below(10)), [](auto i, auto j) { return is_finite(i, j) || j < 10; });
}

TEST(keep_finite, reads_elementwise_functions_and_other_axes) {
    const tensor<float, 70, 37> turned = detail::constant_evaluate(transpose(a.m));
    tensor<bool, 37, 70> present;
    for (std::size_t i = 0; i < present.size(); ++i) present.data()[i] = a.m.data()[i] != -infinity<float>;
    check(keep_finite(transpose(turned)), is_finite);
    check(keep_finite(where(present, 0.0f, -infinity<float>)), is_finite);
    check(keep_finite(masked(a.m, keys_below(60))), [](auto i, auto j) { return is_finite(i, j) && j < 60; });
}

}  // namespace
