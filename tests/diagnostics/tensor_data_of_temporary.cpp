// SPDX-License-Identifier: BSL-1.0
// The memory of a temporary tensor.
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
const float* p = iota<float, 2, 3>().data();
#else
auto t = iota<float, 2, 3>();
const float* p = t.data();
#endif
