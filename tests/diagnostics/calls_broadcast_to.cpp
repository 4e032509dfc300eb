// SPDX-License-Identifier: BSL-1.0
// broadcast_to called as in libraries whose shapes are known at run time.
// expect: ashlar: broadcast_to: takes one tensor, view or expression, and the dimensions as template arguments; write broadcast_to<8, 4>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = broadcast_to(a, {2, 4, 8});
#else
    [[maybe_unused]] auto y = broadcast_to<2, 4, 8>(a);
#endif
}
