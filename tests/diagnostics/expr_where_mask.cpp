// SPDX-License-Identifier: BSL-1.0
// where with a mask and values of rank 1.
//
// expect: ashlar: where: the mask must fit the values, whose last two axes are queries and keys; unsqueeze
//
// expect: where_mask<
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

using namespace ashlar;
tensor<float, 6> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = where(causal, x, 0.0f);
#else
auto z = where(causal, unsqueeze<0>(x), 0.0f);
#endif
