// SPDX-License-Identifier: BSL-1.0
// A generic function with a condition.
// expect: ashlar: map: lanes differ, so they are not a condition; write select(v > 0, a, b) rather than if or ?:, or let the function take a float
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = map([](auto v) { return v > 0.0f ? v : v * 0.1f; }, a);
#else
    [[maybe_unused]] auto y = map([](auto v) { return select(v > 0.0f, v, v * 0.1f); }, a);
#endif
}
