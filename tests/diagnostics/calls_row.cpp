// SPDX-License-Identifier: BSL-1.0
// row called as in libraries whose shapes are known at run time.
// expect: ashlar: row: takes one tensor, view or expression and an integer; write row(x, i)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = row(a);
#else
    [[maybe_unused]] auto y = row(a, 1);
#endif
}
