// SPDX-License-Identifier: BSL-1.0
// softmax of integers.
//
// expect: ashlar: softmax: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<int>
#include <ashlar/expr/reductions/normalize.hpp>

ashlar::tensor<int, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = softmax(x);
#else
auto z = softmax(cast<float>(x));
#endif
