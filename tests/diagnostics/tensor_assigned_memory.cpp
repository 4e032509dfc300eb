// SPDX-License-Identifier: BSL-1.0
// A vector assigned to a tensor.
//
// expect: ashlar: tensor: memory has no shape; write tensor_view<float, 2, 3>{memory}
#include <vector>

#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

void program() {
    std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
    a = v;
#else
    a = ashlar::tensor_view<float, 4, 8>{v};
#endif
}
