// SPDX-License-Identifier: BSL-1.0
// rms_norm with a gamma of another length.
//
// expect: ashlar: rms_norm: gamma must broadcast to the shape of x; give it the last axis
//
// expect: broadcast_target<
#include <ashlar/expr/reductions/normalize.hpp>

ashlar::tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 2> gamma;
auto z = rms_norm(x, gamma);
#else
ashlar::tensor<float, 3> gamma;
auto z = rms_norm(x, gamma);
#endif
