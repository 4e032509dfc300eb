// SPDX-License-Identifier: BSL-1.0
// A sentence attends to itself: similarities, weights, and a context vector by hand (after a PyTorch notebook).
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::transformer;

namespace {

// "Sorry Dave, I'm afraid I can't do that.": eight words, each embedded in 32 numbers.
inline constexpr axis<"word", 8> word;
inline constexpr axis<"embedding", 32> embedding;
const auto x = borrowed<word, embedding>(reference::x);

}  // namespace

int main() {
    title("similarity of all words");
    // By loops ...
    tensor<float, word, word> by_loops;
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) by_loops(i, j) = eval(dot(x[i], x[j]));
    // ... as a matrix product ...
    const auto similarity = matmul(x, transpose(x));
    // ... and in index notation: i and j are words, e is summed over.
    const auto by_letters = einsum<"ie,je->ij">(x, x);
    check_near("dot products in loops", by_loops, reference::similarity, 5e-5);
    check_near("matmul(x, transpose(x))", similarity, reference::similarity, 5e-5);
    check_near("einsum<\"ie,je->ij\">(x, x)", by_letters, reference::similarity, 5e-5);

    title("weights");
    const auto weights = eval(softmax(similarity));
    check_near("softmax", weights, reference::weights, 1e-5);
    check_near("sums of the rows", sum<-1>(weights), full<float, 8>(1), 1e-6);

    title("context");
    const auto context = eval(matmul(weights, x));
    // One expression, one loop over the 32 columns: no temporary vectors are made on the way.
    const auto by_hand = weights(3, 0) * x[0] + weights(3, 1) * x[1] + weights(3, 2) * x[2] + weights(3, 3) * x[3] +
                         weights(3, 4) * x[4] + weights(3, 5) * x[5] + weights(3, 6) * x[6] + weights(3, 7) * x[7];
    check_near("row 3 by hand", by_hand, reference::context_row_3, 1e-5);
    check_near("row 3 of matmul(weights, x)", context[3], reference::context_row_3, 1e-5);

    // Not every row is needed? Then ask for one: a vector is one query. The scale, here 1, is 1/sqrt(32) by default.
    check_near("row 3 by attention", attention(x[3], x, x, scale(1.0f)), reference::context_row_3, 1e-5);
    return report();
}
