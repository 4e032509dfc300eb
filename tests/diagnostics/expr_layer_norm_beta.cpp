// SPDX-License-Identifier: BSL-1.0
// layer_norm with a beta of higher rank.
//
// expect: ashlar: layer_norm: beta must broadcast to the shape of x; give it the last axis
//
// expect: broadcast_target<
#include <ashlar/expr/reductions/normalize.hpp>

using namespace ashlar;
tensor<float, 2, 3> x;
tensor<float, 3> gamma;
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 5, 2, 3> beta;
auto z = layer_norm(x, gamma, beta);
#else
tensor<float, 3> beta;
auto z = layer_norm(x, gamma, beta);
#endif
