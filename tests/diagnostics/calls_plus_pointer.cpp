// SPDX-License-Identifier: BSL-1.0
// A tensor plus a pointer.
// expect: ashlar: elementwise operation: takes tensors, views or expressions, and numbers with them; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
    [[maybe_unused]] const float* p = a.data();
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = a * p;
#else
    [[maybe_unused]] auto y = a * tensor_view<const float, 8>{p};
#endif
}
