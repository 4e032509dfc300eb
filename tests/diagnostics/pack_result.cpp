// SPDX-License-Identifier: BSL-1.0
// A packed matrix beyond the stack budget needs a destination.
//
// expect: ashlar: pack: the result exceeds ASHLAR_STACK_BUDGET; pack into a matrix of yours by pack(w, t)
#include <ashlar/ashlar.hpp>

void pack_it(ashlar::packed<float, 512, 256>& w, const ashlar::tensor<float, 512, 256>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    w = pack(t);
#else
    pack(w, t);
#endif
}
