// SPDX-License-Identifier: BSL-1.0
// exp of a vector.
// expect: ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
    std::vector<float> v(32);
    [[maybe_unused]] tensor_view<float, 4, 8> w{v};
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = exp(v);
#else
    [[maybe_unused]] auto y = exp(w);
#endif
}
