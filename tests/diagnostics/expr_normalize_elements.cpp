// SPDX-License-Identifier: BSL-1.0
// Unit vectors of integers.
//
// expect: ashlar: normalize: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<
#include <ashlar/expr/reductions/unit_norm.hpp>

ashlar::tensor<int, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = normalize(x);
#else
auto z = x * x;
#endif
