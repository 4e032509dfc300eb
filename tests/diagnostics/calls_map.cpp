// SPDX-License-Identifier: BSL-1.0
// map of a vector.
//
// expect: ashlar: map: takes a function and then tensors, views or expressions; write map([](auto v) { return v * v; }, x)
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = map([](auto x) { return x; }, v);
#else
auto y = map([](auto x) { return x; }, tensor_view<float, 4, 8>{v});
#endif
