// SPDX-License-Identifier: BSL-1.0
// A reshape whose -1 would not be an integer.
// expect: ashlar: reshape: the number of elements must stay the same; change a dimension or make one -1
// expect: reshape_count<
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

using namespace ashlar;
tensor<float, 2, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = reshape<-1, 4>(x + 1.0f);
#else
auto z = reshape<-1, 2>(x + 1.0f);
#endif
