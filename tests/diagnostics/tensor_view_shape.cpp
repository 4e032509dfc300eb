// SPDX-License-Identifier: BSL-1.0
// A view of a tensor of another shape.
// expect: ashlar: view: a view must have the shape of what it views; use reshape or rename
// expect: viewed_shape<
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
tensor<float, 2, 3> t;
#ifdef ASHLAR_EXPECT_ERROR
tensor_view<float, 3, 2> v = t;
#else
tensor_view<float, 2, 3> v = t;
#endif
