// SPDX-License-Identifier: BSL-1.0
// Assigning a tensor of another element type.
//
// expect: ashlar: assignment: both sides must have the same element type; convert with cast<U>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
void assign(tensor<double, 3>& to, const tensor<float, 3>& from, const tensor<double, 3>& fitting) {
#ifdef ASHLAR_EXPECT_ERROR
    to = from;
#else
    to = fitting;
#endif
}
