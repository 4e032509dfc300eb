// SPDX-License-Identifier: BSL-1.0
// layer_norm of a scalar.
//
// expect: ashlar: norm: a scalar has no last axis to normalise; give an expression of rank 1 at least
//
// expect: axis_argument<-1,
#include <ashlar/expr/reductions/normalize.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float> x;
auto z = layer_norm(x);
#else
ashlar::tensor<float, 1> x;
auto z = layer_norm(x);
#endif
