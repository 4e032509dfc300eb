// SPDX-License-Identifier: BSL-1.0
// store of floats to a tensor of doubles.
//
// expect: ashlar: store: the destination must have the element type of the expression; use cast<T>(x)
//
// expect: element_types<double, float>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/store.hpp>

ashlar::tensor<float, 3> x;
ashlar::tensor<double, 3> y;
#ifdef ASHLAR_EXPECT_ERROR
auto z = store(y, x * 2.0f);
#else
auto z = store(y, cast<double>(x * 2.0f));
#endif
