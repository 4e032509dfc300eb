// SPDX-License-Identifier: BSL-1.0
// A tensor made of a vector.
// expect: ashlar: tensor: memory has no shape; write tensor_view<float, 2, 3>{memory}
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

void program() {
    std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] tensor<float, 4, 8> t = v;
#else
    [[maybe_unused]] tensor<float, 4, 8> t = tensor_view<float, 4, 8>{v};
#endif
}
