// SPDX-License-Identifier: BSL-1.0
// Random integers.
//
// expect: ashlar: init: random numbers are float or double; fill such a tensor and cast<T> it
//
// expect: random_elements<
#include <ashlar/nn/init/init.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
tensor<int, 4> x;
#else
tensor<float, 4> x;
#endif
void fill(nn::init::generator& random) { nn::init::normal(x, random); }
