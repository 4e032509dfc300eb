// SPDX-License-Identifier: BSL-1.0
// The determinant of integers.
//
// expect: ashlar: linear algebra: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<int>
#include <ashlar/linalg.hpp>

ashlar::tensor<int, 3, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = det(x);
#else
auto z = det(cast<float>(x));
#endif
