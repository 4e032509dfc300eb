// SPDX-License-Identifier: BSL-1.0
// Conditions joined by a bitwise operator.
// expect: ashlar: operators: tensors and masks have no bitwise ones; write a && b, a || b, a != b, !a, or map(f, a, b)
// expect: bitwise_operator<
#include <ashlar/ashlar.hpp>

using namespace ashlar;
const tensor<bool, 4, 8> a{}, b{};

#ifdef ASHLAR_EXPECT_ERROR
const tensor<bool, 4, 8> both = a & b;
#else
const tensor<bool, 4, 8> both = a && b;
#endif
