// SPDX-License-Identifier: BSL-1.0
// A tensor plus a vector.
//
// expect: ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = a + v;
#else
auto y = a + ashlar::tensor_view<float, 4, 8>{v};
#endif
