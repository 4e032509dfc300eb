// SPDX-License-Identifier: BSL-1.0
// index called as in libraries whose shapes are known at run time.
// expect: ashlar: index: takes one tensor, view or expression, and the axis as template argument; write index<0>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = index(a, 0);
#else
    [[maybe_unused]] auto y = index<0>(a);
#endif
}
