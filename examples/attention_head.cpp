// SPDX-License-Identifier: BSL-1.0
// A head with projections from the left, and one whose mask comes after the softmax (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::transformer;

namespace {

inline constexpr axis<"word", 8> word;
inline constexpr axis<"embedding", 32> embedding;
const auto x = borrowed<word, embedding>(reference::x);

// The notebook multiplies from the left: [word, word] by [word, embedding] mixes words, not features. That ties the
// weights to sentences of eight words (the usual projection is x by [embedding, head]), but it is a matrix product too.
const auto u_q = borrowed<word, word>(reference::u_q);
const auto u_k = borrowed<word, word>(reference::u_k);
const auto u_v = borrowed<word, word>(reference::u_v);

}  // namespace

int main() {
    const auto q = matmul(u_q, x);
    const auto k = matmul(u_k, x);
    const auto v = matmul(u_v, x);

    title("a head");
    const auto weights = softmax(matmul(q, transpose(k)));
    const auto head = matmul(weights, v);  // projections, scores, softmax and product: one expression
    check_near("matmul(weights, v)", head, reference::projected, 1e-4);
    check_near("attention(q, k, v, scale(1))", attention(q, k, v, scale(1.0f)), reference::projected, 1e-4);

    // Row 3 again, as a sum over words.
    const auto w = eval(weights);
    const auto values = eval(v);
    tensor<float, embedding> by_hand{};
    for (int i = 0; i < 8; ++i) by_hand += w(3, i) * values[i];
    check_near("row 3 by hand", by_hand, eval(row(eval(head), 3)), 1e-4);

    // Zeroing weights after the softmax hides later words, but what is left of a row no longer sums to one.
    title("masked after the softmax, as in the notebook");
    const auto late = masked_fill(weights, !causal, 0.0f);
    check_near("matmul(late, v)", matmul(late, v), reference::late_masked, 1e-4);
    check("some row has lost weight", eval(min(sum<-1>(late)))() < 0.999f);

    // Dividing by what is left makes it the usual mask.
    const auto repaired = late / sum<-1>(late, keep_dims);
    check_near("divided by the rows' sums", matmul(repaired, v), eval(attention(q, k, v, causal, scale(1.0f))), 1e-3);
    return report();
}
