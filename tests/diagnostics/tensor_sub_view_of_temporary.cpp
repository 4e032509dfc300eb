// SPDX-License-Identifier: BSL-1.0
// A row of a temporary tensor.
//
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
auto row = iota<float, 2, 3>()[0];
#else
auto t = iota<float, 2, 3>();
auto row = t[0];
#endif
