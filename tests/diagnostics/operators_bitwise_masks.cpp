// SPDX-License-Identifier: BSL-1.0
// Masks joined by a bitwise operator.
// expect: ashlar: operators: tensors and masks have no bitwise ones; write a && b, a || b, a != b, !a, or map(f, a, b)
// expect: bitwise_operator<
#include <ashlar/ashlar.hpp>

using namespace ashlar;
const tensor<float, 4, 8> scores{};

#ifdef ASHLAR_EXPECT_ERROR
const tensor<float, 4, 8> y = masked(scores, causal | sliding_window<1, 1>);
#else
const tensor<float, 4, 8> y = masked(scores, causal || sliding_window<1, 1>);
#endif
