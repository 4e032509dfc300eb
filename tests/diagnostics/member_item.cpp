// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: item.
// expect: ashlar: member: elements are indexed; write x(i, j), eval(e)(i, j)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = sum(a).item();
#else
    [[maybe_unused]] auto y = eval(sum(a))();
#endif
}
