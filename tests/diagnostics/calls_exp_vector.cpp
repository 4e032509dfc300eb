// SPDX-License-Identifier: BSL-1.0
// exp of a vector.
//
// expect: ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = exp(v);
#else
auto y = exp(tensor_view<float, 4, 8>{v});
#endif
