// SPDX-License-Identifier: BSL-1.0
// A right-hand side with other rows.
//
// expect: ashlar: solve: the rows of the right-hand side must be the rows of the matrix; transpose, unsqueeze or rename one of them
//
// expect: solve_rows<3
//
// expect: ::agree
#include <ashlar/linalg.hpp>

ashlar::tensor<float, 3, 3> a;
ashlar::tensor<float, 4, 3> b;
#ifdef ASHLAR_EXPECT_ERROR
auto x = solve(a, b);
#else
auto x = solve(a, transpose(b));
#endif
