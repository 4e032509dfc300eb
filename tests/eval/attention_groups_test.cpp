// SPDX-License-Identifier: BSL-1.0
// Attention by kernels over batches and grouped queries.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

TEST(attention, batches_and_groups) {
    support::random_numbers random(5);
    const auto q = random.normal<float, 2, 6, 17, 8>();
    const auto k = random.normal<float, 2, 3, 19, 8>();
    const auto v = random.normal<float, 2, 3, 19, 5>();
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values);
    check(attention(q, k, v, causal));
    const tensor<std::int32_t, 2, 1> lengths{{5}, {19}};
    check(attention(q, k, v, keys_below(lengths)));
    const tensor<int, 2> offsets{-3, 9};
    check(attention(q, k, v, causal_at(offsets)));
    check(attention(q, k, v, causal_at(offsets) && keys_below(lengths)));
    tensor<bool, 2, 1, 17, 19> seen;
    for (std::size_t b = 0; b < 2; ++b)
        for (int i = 0; i < 17; ++i)
            for (int j = 0; j < 19; ++j)
                seen(b, 0, static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = j <= i + offsets(b);
    check(attention(q, k, v, causal_at(offsets)), of(eval(attention(q, k, v, keep(seen)))));
    const auto m = random.truths<6, 1, 19>(0.7);
    check(attention(q, k, v, keep(m)));
    check(attention(q, slice<1, 0, 1>(k), slice<1, 0, 1>(v)));
    check(attention_weights(q, k, causal));
}

}  // namespace
