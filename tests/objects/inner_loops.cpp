// SPDX-License-Identifier: BSL-1.0
// One expression of each kind that spends its time in multiply-adds, in functions of their own: no loop of theirs may
// spill or call.
#include <ashlar/ashlar.hpp>

namespace objects {

using namespace ashlar;

template <class T>
using square = tensor<T, 64, 64>;

void columns_in_lanes(square<float>& out, const square<float>& a, const square<float>& b) noexcept {
    evaluate(out, matmul(a, b));
}

/// Statistics of rows want rows in lanes. The product before them then has rows in lanes too, as both operands allow
/// it.
void rows_in_lanes(square<float>& out, const square<float>& a, const square<float>& b) noexcept {
    evaluate(out, softmax(matmul(transpose(a), transpose(b))));
}

void right_operand_transposed(square<float>& out, const square<float>& a, const square<float>& b) noexcept {
    evaluate(out, matmul(a, transpose(b)));
}

/// So deep that compilers do not unroll the steps of the packed columns in scratch.
void ragged_columns(tensor<float, 49, 49>& out, const tensor<float, 49, 515>& a,
                    const tensor<float, 515, 49>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void in_double(square<double>& out, const square<double>& a, const square<double>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void one_row(tensor<float, 1, 64>& out, const tensor<float, 1, 64>& a, const square<float>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void packed_weights(tensor<float, 128, 384>& out, const tensor<float, 128, 384>& a,
                    const packed<float, 384, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void plain_weights(tensor<float, 128, 384>& out, const tensor<float, 128, 1536>& a,
                   const tensor<float, 1536, 384>& b) noexcept {
    evaluate(out, matmul(a, b));
}

void attention_full(square<float>& out, const square<float>& q, const square<float>& k,
                    const square<float>& v) noexcept {
    evaluate(out, attention(q, k, v));
}

void attention_causal(square<float>& out, const square<float>& q, const square<float>& k,
                      const square<float>& v) noexcept {
    evaluate(out, attention(q, k, v, causal));
}

}  // namespace objects
