// SPDX-License-Identifier: BSL-1.0
// Assigning a row of another length.
// expect: ashlar: assignment: both sides must have the same shape; broadcast_to, reshape or rename one
// expect: assigned_shape<
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
void assign(tensor<float, 2, 3>& t, const tensor<float, 2>& two, const tensor<float, 3>& three) {
    static_cast<void>(two), static_cast<void>(three);
#ifdef ASHLAR_EXPECT_ERROR
    t[0] = two;
}
#else
    t[0] = three;
}
#endif
