// SPDX-License-Identifier: BSL-1.0
// A matrix is quantized into one of its own extents.
//
// expect: ashlar: quantize: the destination must have the extents of the matrix, whose elements are floats; change one
#include <ashlar/ashlar.hpp>

void quantize_it(ashlar::quantized<float, 8, 32>& w, const ashlar::tensor<float, 32, 8>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    quantize(w, t);
#else
    quantize(w, transpose(t));
#endif
}
