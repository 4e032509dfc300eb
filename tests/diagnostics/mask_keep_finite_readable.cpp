// SPDX-License-Identifier: BSL-1.0
// keep_finite of what has to be evaluated first.
//
// expect: ashlar: mask: keep_finite reads tensors and elementwise functions of them; evaluate any other expression first: keep_finite(eval(e))
// expect: finite_tensor<
// expect: ::is_readable
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<float, 2, 4, 8> scores{};
const ashlar::tensor<float, 4, 8> added{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep_finite(sum<0>(added)));
#else
auto y = masked(scores, keep_finite(added + row(added, 0)));
#endif
