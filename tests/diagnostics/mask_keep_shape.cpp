// SPDX-License-Identifier: BSL-1.0
// A mask that does not broadcast to the scores.
//
// expect: ashlar: mask: the mask's tensor must broadcast to the scores
//
// expect: mask_shape<
//
// expect: ::fits
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<bool, 2, 8> present{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep(present));
#else
auto y = masked(scores, keep(unsqueeze<1>(present)));
#endif
