// SPDX-License-Identifier: BSL-1.0
// An array of bools as a condition.
//
// expect: ashlar: condition: elements may differ; write all(x) or any(x)
#include <ashlar/ashlar.hpp>

ashlar::tensor<float, 3, 4> x, y;
#ifdef ASHLAR_EXPECT_ERROR
int z = x == y ? 1 : 2;
#else
int z = all(x == y) ? 1 : 2;
#endif
