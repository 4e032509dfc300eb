// SPDX-License-Identifier: BSL-1.0
// A generic function that calls std::exp.
//
// expect: ashlar: map: lanes are several numbers; write exp(v) rather than std::exp(v), max(v, 0.0f) rather than std::max(v, 0.0f), or let the function take a float
#include <cmath>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = map([](auto v) { return std::exp(v) * v; }, a);
#else
auto y = map([](auto v) { return exp(v) * v; }, a);
#endif
