// SPDX-License-Identifier: BSL-1.0
// A softmax down the columns keeps the whole matrix in scratch. The stack budget is too small for it.
//
// expect: ashlar: pack: the scratch exceeds ASHLAR_STACK_BUDGET; evaluate the matrix into a tensor of yours and pack that
#include <ashlar/ashlar.hpp>

void pack_it(ashlar::packed<float, 512, 256>& w, const ashlar::tensor<float, 512, 256>& scores) {
#ifdef ASHLAR_EXPECT_ERROR
    pack(w, softmax<0>(scores));
#else
    pack(w, softmax<1>(scores));
#endif
}
