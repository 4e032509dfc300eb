// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: squeeze.
// expect: ashlar: member: axes are template arguments; write squeeze<0>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = (a + a).unsqueeze(0);
#else
    [[maybe_unused]] auto y = unsqueeze<0>(a + a);
#endif
}
