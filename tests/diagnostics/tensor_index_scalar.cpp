// SPDX-License-Identifier: BSL-1.0
// Indexing a tensor of rank 0.
//
// expect: ashlar: indexing: a tensor of rank 0 has no axis to index; t() is its element
#include <ashlar/tensor/tensor.hpp>

ashlar::tensor<float> t;
#ifdef ASHLAR_EXPECT_ERROR
float x = t[0];
#else
float x = t();
#endif
