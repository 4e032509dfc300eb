// SPDX-License-Identifier: BSL-1.0
// The inverse of a matrix that is not square.
//
// expect: ashlar: linear algebra: the last two axes must have the same extent, as those of a square matrix; slice it, or solve the normal equations
//
// expect: last_axes<
//
// expect: ::are_square
#include <ashlar/linalg.hpp>

ashlar::tensor<float, 4, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 4, 3> z = inverse(x);
#else
ashlar::tensor<float, 3, 3> z = inverse(matmul(transpose(x), x));
#endif
