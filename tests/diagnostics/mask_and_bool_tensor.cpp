// SPDX-License-Identifier: BSL-1.0
// A mask combined with a bool tensor.
//
// expect: ashlar: mask: a bool tensor does not say what true means; write keep(t) or ignore(t)
//
// expect: mask_operands<
//
// expect: ::are_masks
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<bool, 8> present{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal&& present);
#else
auto y = masked(scores, causal&& keep(present));
#endif
