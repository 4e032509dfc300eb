// SPDX-License-Identifier: BSL-1.0
// A floating-point index.
//
// expect: ashlar: indexing: an index must be an integer; convert it first
//
// expect: index_types<double>
#include <ashlar/tensor/tensor.hpp>

ashlar::tensor<float, 3> t;
#ifdef ASHLAR_EXPECT_ERROR
float x = t[1.0];
#else
float x = t[1];
#endif
