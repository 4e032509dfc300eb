// SPDX-License-Identifier: BSL-1.0
// A view of a temporary tensor.
//
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor_view<const float, 3> v = iota<float, 3>();
#else
tensor<float, 3> t = iota<float, 3>();
tensor_view<const float, 3> v = t;
#endif
