// SPDX-License-Identifier: BSL-1.0
// An iterator into a temporary tensor.
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
const float* p = iota<float, 2, 3>().begin();
#else
auto t = iota<float, 2, 3>();
const float* p = t.begin();
#endif
