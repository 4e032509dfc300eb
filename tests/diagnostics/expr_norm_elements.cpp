// SPDX-License-Identifier: BSL-1.0
// rms_norm of integers.
//
// expect: ashlar: norm: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<int>
#include <ashlar/expr/reductions/normalize.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = rms_norm(x);
#else
auto z = rms_norm(cast<float>(x));
#endif
