// SPDX-License-Identifier: BSL-1.0
// A bool tensor has no polarity.
//
// expect: ashlar: mask: this is not a mask; keep(t) and ignore(t) make one of a bool tensor
//
// expect: mask_of_scores<
//
// expect: ::is_mask
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<bool, 8> present{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, present);
#else
auto y = masked(scores, keep(present));
#endif
