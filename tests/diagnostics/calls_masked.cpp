// SPDX-License-Identifier: BSL-1.0
// masked without a mask.
//
// expect: ashlar: masked: takes scores, a tensor, view or expression, and a mask; write masked(scores, causal)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(a);
#else
auto y = masked(a, causal);
#endif
