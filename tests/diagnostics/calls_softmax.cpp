// SPDX-License-Identifier: BSL-1.0
// A softmax along an axis that is an argument.
//
// expect: ashlar: softmax: takes one tensor, view or expression, and the axis as template argument; write softmax<1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = softmax(a, -1);
#else
auto y = softmax<-1>(a);
#endif
