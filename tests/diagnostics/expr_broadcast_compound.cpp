// SPDX-License-Identifier: BSL-1.0
// += of shapes that do not broadcast.
//
// expect: ashlar: elementwise operation: the shapes must broadcast
//
// expect: ::agree
#include <ashlar/ashlar.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
void add(tensor<float, 3, 8>& x, const tensor<float, 4, 8>& y) { x += y; }
#else
void add(tensor<float, 3, 8>& x, const tensor<float, 8>& y) { x += y; }
#endif
