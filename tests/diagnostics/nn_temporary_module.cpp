// SPDX-License-Identifier: BSL-1.0
// The expression of a module borrows its weights.
//
// expect: ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/linear.hpp>

using layer = ashlar::nn::linear<{.in = 4, .out = 2}>;
layer load();

void project(ashlar::tensor<float, 3, 2>& y, const ashlar::tensor<float, 3, 4>& x) {
#ifdef ASHLAR_EXPECT_ERROR
    y = load()(x);
#else
    const layer loaded = load();
    y = loaded(x);
#endif
}
