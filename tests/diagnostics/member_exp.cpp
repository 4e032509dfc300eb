// SPDX-License-Identifier: BSL-1.0
// A member that other libraries have: exp.
// expect: ashlar: member: operations are functions; write exp(x), matmul(x, y), eval(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = a.exp();
#else
    [[maybe_unused]] auto y = exp(a);
#endif
}
