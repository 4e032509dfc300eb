// SPDX-License-Identifier: BSL-1.0
// A view over an expression that has no memory yet.
// expect: ashlar: view: an expression has no memory; make a tensor of it first
#include <ashlar/ashlar.hpp>

using namespace ashlar;
tensor<float, 3, 4> x;
#ifdef ASHLAR_EXPECT_ERROR
tensor_view<float, 3, 4> y = x * 2.0f;
#else
tensor<float, 3, 4> z = x * 2.0f;
tensor_view<float, 3, 4> y = z;
#endif
