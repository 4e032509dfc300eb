// SPDX-License-Identifier: BSL-1.0
// Integer scores cannot be minus infinity.
//
// expect: ashlar: masked: scores must be floating point
//
// expect: floating_elements<int>::given
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<int, 4, 8> scores{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal);
#else
auto y = masked_fill(scores, !causal, -1000);
#endif
