// SPDX-License-Identifier: BSL-1.0
// A view of a tensor of another shape.
//
// expect: ashlar: view: a view must have the shape of what it views; use reshape or rename
//
// expect: viewed_shape<
#include <ashlar/tensor/tensor.hpp>

ashlar::tensor<float, 2, 3> t;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor_view<float, 3, 2> v = t;
#else
ashlar::tensor_view<float, 2, 3> v = t;
#endif
