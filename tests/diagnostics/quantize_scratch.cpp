// SPDX-License-Identifier: BSL-1.0
// A lazy expression is evaluated on the stack first, which bears little.
//
// expect: ashlar: quantize: the values exceed ASHLAR_STACK_BUDGET; evaluate the matrix into a tensor of yours and quantize that
#include <ashlar/ashlar.hpp>

void quantize_it(ashlar::quantized<float, 512, 256>& w, const ashlar::tensor<float, 512, 256>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    quantize(w, t * 2);
#else
    quantize(w, t);
#endif
}
