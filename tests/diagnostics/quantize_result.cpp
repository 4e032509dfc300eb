// SPDX-License-Identifier: BSL-1.0
// A quantized matrix beyond the stack budget needs a destination.
//
// expect: ashlar: quantize: the result exceeds ASHLAR_STACK_BUDGET; quantize into a matrix of yours by quantize(w, t)
#include <ashlar/ashlar.hpp>

void quantize_it(ashlar::quantized<float, 512, 1024>& w, const ashlar::tensor<float, 512, 1024>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    w = quantize(t);
#else
    quantize(w, t);
#endif
}
