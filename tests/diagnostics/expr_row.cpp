// SPDX-License-Identifier: BSL-1.0
// A row of a scalar.
//
// expect: ashlar: row: a scalar has no axis to take an entry from
//
// expect: row_of<
#include <ashlar/expr/shape/shape_ops.hpp>

#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor<float> x;
auto z = row(x, 0);
#else
ashlar::tensor<float, 1> x;
auto z = row(x, 0);
#endif
