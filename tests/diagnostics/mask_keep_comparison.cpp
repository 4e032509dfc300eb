// SPDX-License-Identifier: BSL-1.0
// A condition that has to be evaluated.
// expect: ashlar: mask: keep and ignore read bool tensors and their logic
// expect: mask_tensor<
// expect: ::is_readable
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<int, 8> ids{};
const tensor<bool, 8> known{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep(ids == 3));
#else
auto y = masked(scores, keep(known && !known));
#endif

}  // namespace
