// SPDX-License-Identifier: BSL-1.0
// layer_norm with PyTorch's order of arguments.
// expect: ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
static tensor<float, 8> factors{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = layer_norm(a, 8, factors, factors);
#else
    [[maybe_unused]] auto y = layer_norm(a, factors, factors);
#endif
}
