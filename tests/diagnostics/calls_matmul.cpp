// SPDX-License-Identifier: BSL-1.0
// matmul of a vector.
// expect: ashlar: matmul: takes two tensors, views or expressions; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};
static tensor<float, 8, 4> b{};

void program() {
    std::vector<float> v(32);
    [[maybe_unused]] tensor_view<float, 4, 8> w{v};
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = matmul(v, b);
#else
    [[maybe_unused]] auto y = matmul(w, b);
#endif
}
