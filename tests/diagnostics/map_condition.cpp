// SPDX-License-Identifier: BSL-1.0
// A generic function with a condition.
//
// expect: ashlar: map: lanes differ, so they are not a condition; write select(v > 0, a, b) rather than if or ?:, or let the function take a float
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = map([](auto v) { return v > 0.0f ? v : v * 0.1f; }, a);
#else
auto y = map([](auto v) { return select(v > 0.0f, v, v * 0.1f); }, a);
#endif
