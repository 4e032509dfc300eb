// SPDX-License-Identifier: BSL-1.0
// The memory of a temporary quantized matrix.
//
// expect: ashlar: quantized: the memory of a temporary would dangle; name it first
#include <ashlar/ashlar.hpp>

void quantize_it(const ashlar::tensor<float, 8, 16>& t) {
#ifdef ASHLAR_EXPECT_ERROR
    static_cast<void>(quantize(t).data());
#else
    const auto w = quantize(t);
    static_cast<void>(w.data());
#endif
}
