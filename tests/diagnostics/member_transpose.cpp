// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: transpose.
// expect: ashlar: member: axes are exchanged by functions; write transpose(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = matmul(a, a.T);
#else
    [[maybe_unused]] auto y = matmul(a, transpose(a));
#endif
}
