// SPDX-License-Identifier: BSL-1.0
// masked_mean without its axis.
//
// expect: ashlar: masked_mean: takes one tensor, view or expression and a mask, and the axis as template argument; write masked_mean<0>(x, keys_below(n))
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = masked_mean(a, keys_below(3));
#else
auto y = masked_mean<0>(a, keys_below(3));
#endif
