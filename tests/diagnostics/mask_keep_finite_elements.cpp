// SPDX-License-Identifier: BSL-1.0
// keep_finite of bools.
//
// expect: ashlar: mask: keep_finite takes floating-point numbers
//
// expect: finite_tensor<
//
// expect: ::has_numbers
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 4, 8> scores{};
const ashlar::tensor<bool, 8> present{};
const ashlar::tensor<float, 8> added{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep_finite(present));
#else
auto y = masked(scores, keep_finite(added));
#endif
