// SPDX-License-Identifier: BSL-1.0
// topk with its count as an argument.
//
// expect: ashlar: topk: takes one tensor, view or expression, and the count and the axis as template arguments; write topk<3>(x), topk<3, 1>(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = topk(a, 3);
#else
auto y = topk<3>(a);
#endif
