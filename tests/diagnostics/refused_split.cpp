// SPDX-License-Identifier: BSL-1.0
// A wrong split into parts that are used: one error.
//
// expect: ashlar: split: the number of parts must divide the extent of the axis; use slice for unequal
//
// expect: split_parts<8
#include <ashlar/ashlar.hpp>

using namespace ashlar;

void attend(tensor<float, 4, 3>& y, const tensor<float, 4, 8>& narrow, const tensor<float, 4, 9>& wide) {
#ifdef ASHLAR_EXPECT_ERROR
    const auto [q, k, v] = split<-1, 3>(narrow);
#else
    const auto [q, k, v] = split<-1, 3>(wide);
#endif
    y = q * k + v;
}
