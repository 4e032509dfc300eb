// SPDX-License-Identifier: BSL-1.0
// A generic function that calls std::exp.
// expect: ashlar: map: lanes are several numbers; write exp(v) rather than std::exp(v), max(v, 0.0f) rather than std::max(v, 0.0f), or let the function take a float
#include <cmath>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = map([](auto v) { return std::exp(v) * v; }, a);
#else
    [[maybe_unused]] auto y = map([](auto v) { return exp(v) * v; }, a);
#endif
}
