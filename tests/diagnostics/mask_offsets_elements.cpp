// SPDX-License-Identifier: BSL-1.0
// Offsets that are a lazy expression.
//
// expect: ashlar: causal_at: takes an integer or an integer tensor over the batch axes
//
// expect: entry_integers<
//
// expect: ::are_integers_in_memory
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
const tensor<int, 2> before{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, causal_at(before - 4));
#else
auto y = masked(scores, causal_at(before));
#endif
