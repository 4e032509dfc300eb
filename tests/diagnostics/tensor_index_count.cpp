// SPDX-License-Identifier: BSL-1.0
// Fewer indices than axes.
//
// expect: ashlar: indexing: t(i, j, ...) takes one index for each axis; t[i] takes the first one
//
// expect: index_count<1, 2>
#include <ashlar/tensor/tensor.hpp>

ashlar::tensor<float, 2, 3> t;
#ifdef ASHLAR_EXPECT_ERROR
float x = t(1);
#else
float x = t(1, 0);
#endif
