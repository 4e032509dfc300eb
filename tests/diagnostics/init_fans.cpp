// SPDX-License-Identifier: BSL-1.0
// A bias where a weight is expected.
//
// expect: ashlar: init: a weight must have at least two axes, [out, in]; use uniform or normal
//
// expect: weight_rank<
#include <ashlar/nn/init/init.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
tensor<float, 4> w;
#else
tensor<float, 4, 3> w;
#endif
void fill(nn::init::generator& random) { nn::init::xavier_uniform(w, random); }
