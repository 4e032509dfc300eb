// SPDX-License-Identifier: BSL-1.0
// Products of rows of bf16 and packed bf16, so many rows that blocks are of several heights: their inner loops multiply
// two elements at a time and keep their sums in registers. And products of rows of bytes, of which AArch64 multiplies
// two.
#include <ashlar/ashlar.hpp>

namespace objects {

using namespace ashlar;

void many_rows(tensor<float, 128, 384>& out, const tensor<bf16, 128, 384>& a,
               const packed<bf16, 384, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void rows_that_are_rounded(tensor<float, 37, 48>& out, const tensor<float, 37, 385>& a,
                           const packed<bf16, 385, 48>& b) noexcept {
    evaluate(out, matmul(cast<bf16>(a), b));
}

void few_rows(tensor<float, 7, 384>& out, const tensor<bf16, 7, 384>& a, const packed<bf16, 384, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void rows_of_bytes(tensor<float, 64, 256>& out, const tensor<float, 64, 256>& a,
                   const quantized<float, 256, 256>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void odd_rows_of_bytes(tensor<float, 37, 48>& out, const tensor<float, 37, 385>& a,
                       const quantized<float, 385, 48>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void few_rows_of_bytes(tensor<float, 3, 384>& out, const tensor<float, 3, 384>& a,
                       const quantized<float, 384, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

}  // namespace objects
