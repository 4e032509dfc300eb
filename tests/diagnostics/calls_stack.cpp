// SPDX-License-Identifier: BSL-1.0
// stack called as in libraries whose shapes are known at run time.
//
// expect: ashlar: stack: takes tensors, views or expressions one by one, and the position of the new axis as template argument; write stack<0>(x, y)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = stack(a, a);
#else
auto y = stack<0>(a, a);
#endif
