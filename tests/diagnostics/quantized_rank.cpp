// SPDX-License-Identifier: BSL-1.0
// Only a matrix is held in 8 bits.
//
// expect: ashlar: quantized: only a matrix of floats with at most 131,072 rows can be held in 8 bits; write quantized<float, rows, columns>
#include <ashlar/ashlar.hpp>

void quantize_it() {
#ifdef ASHLAR_EXPECT_ERROR
    ashlar::quantized<float, 4, 8, 8> w{};
#else
    ashlar::quantized<float, 32, 8> w{};
#endif
}
