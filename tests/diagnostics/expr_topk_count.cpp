// SPDX-License-Identifier: BSL-1.0
// More of the largest than there are.
//
// expect: ashlar: topk: the count must be at least 1 and at most the extent of the axis
//
// expect: topk_entries<9, 8
#include <ashlar/ashlar.hpp>

ashlar::tensor<float, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = topk<9>(x);
#else
auto z = topk<8>(x);
#endif
