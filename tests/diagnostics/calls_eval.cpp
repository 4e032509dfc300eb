// SPDX-License-Identifier: BSL-1.0
// eval of a vector.
//
// expect: ashlar: eval: takes one tensor, view or expression; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = eval(v);
#else
auto y = eval(tensor_view<float, 4, 8>{v});
#endif
