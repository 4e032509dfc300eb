// SPDX-License-Identifier: BSL-1.0
// roll called as in libraries whose shapes are known at run time.
// expect: ashlar: roll: takes one tensor, view or expression, and the axis and the shift as template arguments; write roll<0, 1>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = roll(a, 1, 0);
#else
    [[maybe_unused]] auto y = roll<0, 1>(a);
#endif
}
