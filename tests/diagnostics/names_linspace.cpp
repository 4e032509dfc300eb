// SPDX-License-Identifier: BSL-1.0
// A range by a name of another library.
//
// expect: ashlar: names: ranges are sums and products of iota; write first + step * iota<float, 8>()
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = linspace(0.0f, 1.0f, 8);
#else
auto y = a + 0.125f * iota<float, 8>();
#endif
