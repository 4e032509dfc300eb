// SPDX-License-Identifier: BSL-1.0
// A matrix is packed into one of its own extents.
//
// expect: ashlar: pack: the destination must have the extents and the element type of the matrix; change one
#include <ashlar/ashlar.hpp>

void pack_it(ashlar::packed<float, 8, 32>& w, const ashlar::tensor<float, 32, 8>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    pack(w, t);
#else
    pack(w, transpose(t));
#endif
}
