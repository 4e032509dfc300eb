// SPDX-License-Identifier: BSL-1.0
// Windows longer than their axis.
//
// expect: ashlar: windows: a window must have an entry, begin after the previous one and fit into the
//
// expect: window_count<
#include <ashlar/expr/shape/shape_ops.hpp>

ashlar::tensor<float, 2, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = windows<1, 5, 1, 2>(x);
#else
auto z = windows<1, 4, 1, 2>(x);
#endif
