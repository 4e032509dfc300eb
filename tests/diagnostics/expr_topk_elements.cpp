// SPDX-License-Identifier: BSL-1.0
// The largest of bools.
//
// expect: ashlar: topk: the elements must be numbers, which have an order
//
// expect: function_elements<
#include <ashlar/ashlar.hpp>

ashlar::tensor<bool, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = topk<2>(x);
#else
auto z = topk<2>(cast<int>(x));
#endif
