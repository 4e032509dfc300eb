// SPDX-License-Identifier: BSL-1.0
// Assigning to a row of a const tensor.
//
// expect: ashlar: assignment: a const tensor, a view of const elements or of a broadcast cannot be written
#include <ashlar/tensor/tensor.hpp>

void assign(const ashlar::tensor<float, 2, 3>& t, ashlar::tensor<float, 2, 3>& u) {
#ifdef ASHLAR_EXPECT_ERROR
    t[0] = u[0];
#else
    u[0] = t[0];
#endif
}
