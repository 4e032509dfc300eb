// SPDX-License-Identifier: BSL-1.0
// Causal masks: why scores must be filled with minus infinity and not with zero (after a PyTorch notebook).
#include <limits>

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

// Where a mask keeps a pair of query and key the answer is true: `causal` keeps the lower triangle, `!causal` the rest.
void masks_as_numbers() {
    title("what causal keeps");
    const auto kept = where(causal, full<float, 4, 4>(1), 0.0f);
    check_near("where(causal, 1, 0)", kept, {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}, 0);
}

// The notebook sets the scores of later words to 0. But exp(0) is 1: they still get weight.
void filled_with_zero() {
    title("filled with zero, as in the notebook");
    const auto scores = matmul(x, transpose(x));
    check_near("weights", softmax(masked_fill(scores, !causal, 0.0f)), reference::zero_filled_weights, 1e-5);

    // Unscaled the words are so similar to themselves that it does not show. Scaled by 1/sqrt(32) it does.
    const auto leaking = eval(softmax(masked_fill(scores * rsqrt_extent<embedding>, !causal, 0.0f)));
    check_near("scaled", leaking, reference::zero_filled_weights_scaled, 1e-6);
    check("some later word has weight", leaking(3, 7) > 0.01f);
}

// Minus infinity is the score whose exponential is 0.
void filled_with_minus_infinity() {
    title("filled with minus infinity");
    const auto scores = matmul(x, transpose(x));
    const auto weights = softmax(masked(scores, causal));
    const auto scaled = softmax(masked(scores * rsqrt_extent<embedding>, causal));
    check_near("weights", weights, reference::causal_weights, 1e-5);
    check_near("scaled", scaled, reference::causal_weights_scaled, 1e-6);
    check_near("all that later words get", sum(where(!causal, scaled, 0.0f)), 0.0f, 0);

    const auto w = eval(weights);
    check_near("row 3 of the context, by hand", w(3, 0) * x[0] + w(3, 1) * x[1] + w(3, 2) * x[2] + w(3, 3) * x[3],
               reference::causal_context_row_3, 1e-5);
    check_near("row 3 of attention", row(eval(attention(x, x, x, causal, scale(1.0f))), 3),
               reference::causal_context_row_3, 1e-5);
}

// What a mask excludes is not read into the result: not even NaN in the last word reaches the words before it.
void excluded_is_excluded() {
    title("NaN in the last word");
    tensor<float, word, embedding> broken = x;
    broken[7] = std::numeric_limits<float>::quiet_NaN();
    const auto sound = eval(attention(x, x, x, causal));
    const auto beside = eval(attention(broken, broken, broken, causal));
    check_near("words 0 to 6", slice<word, 0, 7>(beside), eval(slice<word, 0, 7>(sound)), 0);
    check("word 7 is NaN", beside(7, 0) != beside(7, 0));
}

}  // namespace

int main() {
    masks_as_numbers();
    filled_with_zero();
    filled_with_minus_infinity();
    excluded_is_excluded();
    return report();
}
