// SPDX-License-Identifier: BSL-1.0
// Chains by kernels: feed-forward blocks, products of products, let.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

struct weights {
    support::random_numbers random{1};
    tensor<float, 37, 24> x = random.normal<float, 37, 24>();
    tensor<float, 24, 24> wq = random.normal<float, 24, 24>(0, 0.2), wk = random.normal<float, 24, 24>(0, 0.2);
    tensor<float, 24, 24> wv = random.normal<float, 24, 24>(0, 0.2);
    tensor<float, 24, 40> up = random.normal<float, 24, 40>(0, 0.2);
    tensor<float, 40, 24> down = random.normal<float, 40, 24>(0, 0.2);
    tensor<float, 40> bias = random.normal<float, 40>();
    tensor<float, 24> gamma = random.normal<float, 24>(), beta = random.normal<float, 24>();
};

TEST(chains, feed_forward) {
    const weights w;
    check(layer_norm(w.x + matmul(relu(matmul(w.x, w.up)), w.down), w.gamma, w.beta, 1e-5), 1e-5);
    check(let(layer_norm(w.x, w.gamma, w.beta, 1e-5),
              [&](const auto& y) { return y + matmul(gelu(matmul(y, w.up) + w.bias), w.down); }),
          1e-5);
    check(let(matmul(w.x, w.wq), [&](const auto& y) { return y * sigmoid(y) + w.x; }), 1e-5);
}

TEST(chains, nested_products) {
    const weights w;
    check(matmul(matmul(w.x, w.wq), matmul(w.wk, w.wv)), 1e-5);
    check(matmul(matmul(w.x, w.wq), transpose(matmul(w.x, w.wk))), 1e-5);
    check(matmul(transpose(matmul(w.x, w.wq)), matmul(w.x, w.wk)), 1e-5);
    check(matmul(w.wk, softmax(matmul(w.wq, w.wk))), 1e-5);
    check(matmul(softmax<0>(matmul(w.x, w.wq)), w.wk), 1e-5);
}

}  // namespace
