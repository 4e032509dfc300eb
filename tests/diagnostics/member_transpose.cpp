// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: transpose.
//
// expect: ashlar: member: axes are exchanged by functions; write transpose(x)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(a, a.T);
#else
auto y = matmul(a, transpose(a));
#endif
