// SPDX-License-Identifier: BSL-1.0
// masked_fill without a value.
// expect: ashlar: masked_fill: takes a tensor, view or expression, a condition and a value; write masked_fill(x, x < 0.0f, 0.0f)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = masked_fill(a, a < 0.0f);
#else
    [[maybe_unused]] auto y = masked_fill(a, a < 0.0f, 0.0f);
#endif
}
