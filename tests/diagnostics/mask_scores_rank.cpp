// SPDX-License-Identifier: BSL-1.0
// Scores without a query axis.
//
// expect: ashlar: mask: the last two axes of the scores must be queries and keys; unsqueeze<0> one query
//
// expect: score_axes<
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 8> scores{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal);
#else
auto y = masked(unsqueeze<0>(scores), causal);
#endif
