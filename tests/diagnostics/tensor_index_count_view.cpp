// SPDX-License-Identifier: BSL-1.0
// More indices than axes of a view.
// expect: ashlar: indexing: t(i, j, ...) takes one index for each axis; t[i] takes the first one
// expect: index_count<2, 1>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
tensor<float, 2, 3> t;
#ifdef ASHLAR_EXPECT_ERROR
float x = t[1](0, 2);
#else
float x = t[1](2);
#endif
