// SPDX-License-Identifier: BSL-1.0
// flip called as in libraries whose shapes are known at run time.
// expect: ashlar: flip: takes one tensor, view or expression, and axes as template arguments; write flip<0>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = flip(a, 0);
#else
    [[maybe_unused]] auto y = flip<0>(a);
#endif
}
