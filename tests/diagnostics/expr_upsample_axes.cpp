// SPDX-License-Identifier: BSL-1.0
// Two factors for one axis.
//
// expect: ashlar: upsample: the factor must be one number or two, not 0, and the shape have as many axes
//
// expect: upsampled_axes<
#include <ashlar/expr/shape/upsample.hpp>

using namespace ashlar;
tensor<float, 8> x;
#ifdef ASHLAR_EXPECT_ERROR
auto z = upsample<{.factor = {2, 2}}>(x);
#else
auto z = upsample<{.factor = 2}>(x);
#endif
