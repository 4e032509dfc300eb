// SPDX-License-Identifier: BSL-1.0
// Attention of computed operands by kernels: projections, heads, norms around it.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

struct weights {
    support::random_numbers random{1};
    tensor<float, 37, 24> x = random.normal<float, 37, 24>();
    tensor<float, 24, 24> wq = random.normal<float, 24, 24>(0, 0.2), wk = random.normal<float, 24, 24>(0, 0.2);
    tensor<float, 24, 24> wv = random.normal<float, 24, 24>(0, 0.2), wo = random.normal<float, 24, 24>(0, 0.2);
};

TEST(chains, projections) {
    const weights w;
    check(attention(matmul(w.x, w.wq), matmul(w.x, w.wk), matmul(w.x, w.wv), causal), 1e-5);
    check(layer_norm(w.x + attention(w.x, w.x, w.x), row(w.wq, 0), row(w.wk, 0), 1e-5), 1e-5);
    check(let(layer_norm(w.x, 1e-5f), [&](const auto& y) { return attention(y, y, y) + w.x; }), 1e-5);
}

TEST(chains, heads) {
    const weights w;
    const auto heads = [](const auto& y) { return permute<1, 0, 2>(reshape<37, 3, 8>(y)); };
    const auto side_by_side = [](const auto& y) { return reshape<37, 24>(permute<1, 0, 2>(y)); };
    check(side_by_side(attention(heads(w.x), heads(w.x), heads(w.x))), 1e-5);
    check(matmul(side_by_side(attention(heads(matmul(w.x, w.wq)), heads(matmul(w.x, w.wk)), heads(matmul(w.x, w.wv)))),
                 w.wo) +
              w.x,
          1e-5);
    const auto a = attention(slice<1, 0, 8>(w.x), slice<1, 8, 16>(w.x), slice<1, 16, 24>(w.x));
    const auto b = attention(slice<1, 8, 16>(w.x), slice<1, 0, 8>(w.x), slice<1, 16, 24>(w.x));
    check(matmul(concat<1>(a, b), slice<0, 0, 16>(w.wo)), 1e-5);
}

}  // namespace
