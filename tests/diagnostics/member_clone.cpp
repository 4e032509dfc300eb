// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: clone.
// expect: ashlar: member: copies and casts are functions; write eval(x), cast<int>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = a.clone();
#else
    [[maybe_unused]] auto y = eval(a);
#endif
}
