// SPDX-License-Identifier: BSL-1.0
// Ten heads share 256 columns.
// expect: ashlar: split: the number of parts must divide the extent of the axis; use slice for unequal ones
// expect: "model"
// expect: 256
// expect: 10
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"seq", 32> seq;
inline constexpr axis<"model", 256> model;

auto heads(const tensor<float, seq, model>& q) {
#ifdef ASHLAR_EXPECT_ERROR
    return split<-1, 10>(q);
#else
    return split<-1, 8>(q);
#endif
}
