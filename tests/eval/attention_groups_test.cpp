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
    const tensor<std::int32_t, 2, 1> lengths{{5}, {19}};
    const tensor<int, 2> offsets{-3, 9};
    reference::attention_options options;
    options.keep = [&](const reference::index& batch, std::size_t i, std::size_t j) {
        const int key = static_cast<int>(j);
        return key < lengths(batch[0], 0) && key <= static_cast<int>(i) + offsets(batch[0]);
    };
    check(attention(q, k, v, causal_at(offsets) && keys_below(lengths)),
          reference::attend(of(q), of(k), of(v), options).values);
    check(attention(q, k, v, keep(random.truths<6, 1, 19>(0.7))));
    check(attention(q, slice<1, 0, 1>(k), slice<1, 0, 1>(v)));
    check(attention_weights(q, k, causal));
}

}  // namespace
