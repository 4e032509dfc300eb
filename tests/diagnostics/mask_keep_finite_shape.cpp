// SPDX-License-Identifier: BSL-1.0
// keep_finite of a tensor that does not broadcast to the scores.
// expect: ashlar: mask: the mask's tensor must broadcast to the scores
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<float, 7> seven{};
const tensor<float, 8> eight{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep_finite(seven));
#else
auto y = masked(scores, keep_finite(eight));
#endif

}  // namespace
