// SPDX-License-Identifier: BSL-1.0
// layer_norm with a gamma of another length.
//
// expect: ashlar: layer_norm: gamma must broadcast to the shape of x; give it the last axis
//
// expect: broadcast_target<
#include <ashlar/expr/reductions/normalize.hpp>

using namespace ashlar;
tensor<float, 2, 3> x;
tensor<float, 3> beta;
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 2> gamma;
auto z = layer_norm(x, gamma, beta);
#else
tensor<float, 3> gamma;
auto z = layer_norm(x, gamma, beta);
#endif
