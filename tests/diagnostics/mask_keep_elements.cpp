// SPDX-License-Identifier: BSL-1.0
// keep of numbers.
//
// expect: ashlar: mask: keep and ignore take bools
//
// expect: mask_tensor<
//
// expect: ::has_bools
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<float, 8> present{};
const tensor<bool, 8> known{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep(present));
#else
auto y = masked(scores, keep(known));
#endif
