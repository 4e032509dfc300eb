// SPDX-License-Identifier: BSL-1.0
// A condition that is none.
//
// expect: ashlar: mask: this is not a mask
//
// expect: mask_of_scores<int>::is_mask
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked_fill(scores, 3, 0.0f);
#else
auto y = masked_fill(scores, causal, 0.0f);
#endif
