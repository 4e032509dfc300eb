// SPDX-License-Identifier: BSL-1.0
// outer with a pointer.
//
// expect: ashlar: outer: takes two tensors, views or expressions; tensor_view<float, 3>{memory} makes one of other memory
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};
const float* p = a.data();
#ifdef ASHLAR_EXPECT_ERROR
auto y = outer(a[0], p);
#else
auto y = outer(a[0], a[1]);
#endif
