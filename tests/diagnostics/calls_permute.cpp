// SPDX-License-Identifier: BSL-1.0
// permute called as in libraries whose shapes are known at run time.
// expect: ashlar: permute: takes one tensor, view or expression, and the axes as template arguments; write permute<1, 0>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = permute(a, {1, 0});
#else
    [[maybe_unused]] auto y = permute<1, 0>(a);
#endif
}
