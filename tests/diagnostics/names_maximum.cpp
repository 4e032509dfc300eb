// SPDX-License-Identifier: BSL-1.0
// The larger of two by a name of another library.
//
// expect: ashlar: names: two operands make max and min elementwise; write max(x, y)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = maximum(a, 0.0f);
#else
auto y = max(a, 0.0f);
#endif
