// SPDX-License-Identifier: BSL-1.0
// Counts that are not integers.
//
// expect: ashlar: keys_below: takes an integer or an integer tensor over the batch axes
//
// expect: entry_integers<
//
// expect: ::are_integers_in_memory
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<float, 2> counts{};
const tensor<int, 2> numbers{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keys_below(counts));
#else
auto y = masked(scores, keys_below(numbers));
#endif
