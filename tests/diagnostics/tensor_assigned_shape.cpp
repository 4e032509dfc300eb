// SPDX-License-Identifier: BSL-1.0
// Assigning a tensor of another shape.
//
// expect: ashlar: assignment: both sides must have the same shape; broadcast_to, reshape or rename one
//
// expect: assigned_shape<
//
// expect: shape<3
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
void assign(tensor<float, 3, 2>& to, const tensor<float, 2, 3>& from, const tensor<float, 3, 2>& fitting) {
#ifdef ASHLAR_EXPECT_ERROR
    to = from;
#else
    to = fitting;
#endif
}
