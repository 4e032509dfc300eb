// SPDX-License-Identifier: BSL-1.0
// cast with a value of the type.
// expect: ashlar: cast: takes one tensor, view or expression, and the element type as template argument; write cast<float>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = cast(a, 1.0);
#else
    [[maybe_unused]] auto y = cast<double>(a);
#endif
}
