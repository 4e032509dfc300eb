// SPDX-License-Identifier: BSL-1.0
// A condition that does not broadcast to the values.
//
// expect: ashlar: masked_fill: the condition must broadcast to the values; unsqueeze or rename its axes
//
// expect: fill_condition<
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 4, 8> scores{};
const ashlar::tensor<bool, 4> condition{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked_fill(scores, condition, 0.0f);
#else
auto y = masked_fill(scores, unsqueeze<1>(condition), 0.0f);
#endif
