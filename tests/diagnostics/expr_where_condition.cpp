// SPDX-License-Identifier: BSL-1.0
// where with a condition of numbers.
//
// expect: ashlar: where: the condition must have bool elements; compare it with something
//
// expect: element_types<float, bool>
#include <ashlar/expr/elementwise/operators.hpp>

ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = where(x, x, 0.0f);
#else
auto z = where(x > 0.0f, x, 0.0f);
#endif
