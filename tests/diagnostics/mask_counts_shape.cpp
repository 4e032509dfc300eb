// SPDX-License-Identifier: BSL-1.0
// Counts that are not over the batch axes.
//
// expect: numbers of keys_below and causal_at to their batch axes
//
// expect: entry_integers_shape<
//
// expect: ::fits
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<int, 3> three{};
const tensor<int, 2> two{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keys_below(three));
#else
auto y = masked(scores, keys_below(two));
#endif
