// SPDX-License-Identifier: BSL-1.0
// layer_norm with PyTorch's order of arguments.
//
// expect: ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
static ashlar::tensor<float, 8> factors{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = layer_norm(a, 8, factors, factors);
#else
auto y = layer_norm(a, factors, factors);
#endif
