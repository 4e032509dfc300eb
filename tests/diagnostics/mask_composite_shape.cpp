// SPDX-License-Identifier: BSL-1.0
// The misfit is found inside a composed mask.
// expect: ashlar: mask: the mask's tensor must broadcast to the scores
// expect: mask_shape<
// expect: ::fits
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<bool, 7> present{};
const tensor<bool, 8> known{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal || (causal_at(3) && ignore(present)));
#else
auto y = masked(scores, causal || (causal_at(3) && ignore(known)));
#endif

}  // namespace
