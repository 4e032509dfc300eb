// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: sum.
// expect: ashlar: member: axes are template arguments; write sum<1>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = a.sum(1);
#else
    [[maybe_unused]] auto y = sum<1>(a);
#endif
}
