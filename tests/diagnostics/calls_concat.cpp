// SPDX-License-Identifier: BSL-1.0
// concat called as in libraries whose shapes are known at run time.
// expect: ashlar: concat: takes tensors, views or expressions one by one, and the axis as template argument; write concat<0>(x, y)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = concat({a, a}, 0);
#else
    [[maybe_unused]] auto y = concat<0>(a, a);
#endif
}
