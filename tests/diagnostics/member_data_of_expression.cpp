// SPDX-License-Identifier: BSL-1.0
// The memory of an expression.
// expect: ashlar: view: an expression has no memory; make a tensor of it first
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] const float* p = (a + a).data();
#else
    const auto sums = eval(a + a);
    [[maybe_unused]] const float* p = sums.data();
#endif
}
