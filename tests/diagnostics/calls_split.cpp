// SPDX-License-Identifier: BSL-1.0
// split called as in libraries whose shapes are known at run time.
// expect: ashlar: split: takes one tensor, view or expression, and the axis and the number of parts as template arguments; write split<0, 2>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = split(a, 2);
#else
    [[maybe_unused]] auto y = split<0, 2>(a);
#endif
}
