// SPDX-License-Identifier: BSL-1.0
// layer_norm with the width of its rows.
//
// expect: ashlar: norm: eps is a floating-point number, and no axis or width is needed: rows are the last axis; write layer_norm(x), normalize<0>(x), rms_norm(x, gamma, 1e-6)
//
// expect: norm_epsilon<int>
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = layer_norm(a, 8);
#else
auto y = layer_norm(a);
#endif
