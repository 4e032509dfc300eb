// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: shape.
//
// expect: ashlar: member: a shape is part of the type; write x.extents[0], x.rank
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = a.shape();
#else
auto y = a.extents;
#endif
