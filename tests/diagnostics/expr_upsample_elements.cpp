// SPDX-License-Identifier: BSL-1.0
// Lines between integers.
//
// expect: ashlar: upsample: lines between elements take floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<
#include <ashlar/expr/shape/upsample.hpp>

using namespace ashlar;
tensor<int, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = upsample<{.factor = 2, .mode = upsample_mode::linear}>(x);
#else
auto z = upsample<{.factor = 2}>(x);
#endif
