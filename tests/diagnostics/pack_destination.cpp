// SPDX-License-Identifier: BSL-1.0
// A matrix is packed into one of its own extents.
// expect: ashlar: pack: the destination must have the extents and the element type of the matrix; change one
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void pack_it(packed<float, 8, 32>& w, const tensor<float, 32, 8>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    pack(w, t);
#else
    pack(w, transpose(t));
#endif
}
