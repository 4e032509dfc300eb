// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: reshape.
// expect: ashlar: member: dimensions are template arguments; write reshape<8, 4>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = (a + a).reshape(8, 4);
#else
    [[maybe_unused]] auto y = reshape<8, 4>(a + a);
#endif
}
