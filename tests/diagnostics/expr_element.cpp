// SPDX-License-Identifier: BSL-1.0
// An element of what is not evaluated.
//
// expect: ashlar: indexing: a lazy expression has no elements; eval(e)(i, j), or row(e, i)
#include <ashlar/ashlar.hpp>

ashlar::tensor<float, 3, 4> x, y;
#ifdef ASHLAR_EXPECT_ERROR
float z = (x + y)(1, 2);
#else
float z = eval(x + y)(1, 2);
#endif
