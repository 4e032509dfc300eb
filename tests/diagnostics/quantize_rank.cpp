// SPDX-License-Identifier: BSL-1.0
// Only a matrix can be quantized.
//
// expect: ashlar: quantize: only a matrix can be quantized; reshape it to two axes or quantize its parts
#include <ashlar/ashlar.hpp>

void quantize_it(const ashlar::tensor<float, 4, 8, 8>& w) {
#ifdef ASHLAR_EXPECT_ERROR
    static_cast<void>(quantize(w));
#else
    static_cast<void>(quantize(reshape<32, 8>(w)));
#endif
}
