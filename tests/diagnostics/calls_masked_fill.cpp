// SPDX-License-Identifier: BSL-1.0
// masked_fill without a value.
//
// expect: ashlar: masked_fill: takes a tensor, view or expression, a condition and a value; write masked_fill(x, x < 0.0f, 0.0f)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = masked_fill(a, a < 0.0f);
#else
auto y = masked_fill(a, a < 0.0f, 0.0f);
#endif
