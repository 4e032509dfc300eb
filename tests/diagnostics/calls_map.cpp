// SPDX-License-Identifier: BSL-1.0
// map of a vector.
// expect: ashlar: map: takes a function and then tensors, views or expressions; write map([](auto v) { return v * v; }, x)
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
    std::vector<float> v(32);
    [[maybe_unused]] tensor_view<float, 4, 8> w{v};
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = map([](auto x) { return x; }, v);
#else
    [[maybe_unused]] auto y = map([](auto x) { return x; }, w);
#endif
}
