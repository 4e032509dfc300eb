// SPDX-License-Identifier: BSL-1.0
// view_of a temporary tensor.
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
auto v = view_of(iota<float, 3>());
#else
auto t = iota<float, 3>();
auto v = view_of(t);
#endif
