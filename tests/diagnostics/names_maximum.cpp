// SPDX-License-Identifier: BSL-1.0
// The larger of two by a name of another library.
// expect: ashlar: names: two operands make max and min elementwise; write max(x, y)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = maximum(a, 0.0f);
#else
    [[maybe_unused]] auto y = max(a, 0.0f);
#endif
}
