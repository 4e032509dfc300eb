// SPDX-License-Identifier: BSL-1.0
// A matrix that is too large.
//
// expect: ashlar: linear algebra: a matrix may have at most 32 rows; use a library for large matrices
//
// expect: matrix_rows<33
//
// expect: ::are_few
#include <ashlar/linalg.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float, 33, 33> x{};
#else
ashlar::tensor<float, 32, 32> x{};
#endif
auto l = eval(cholesky(x));
