// SPDX-License-Identifier: BSL-1.0
// matmul of a vector.
//
// expect: ashlar: matmul: takes two tensors, views or expressions; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
static ashlar::tensor<float, 8, 4> b{};

std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = matmul(v, b);
#else
auto y = matmul(ashlar::tensor_view<float, 4, 8>{v}, b);
#endif
