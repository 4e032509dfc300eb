// SPDX-License-Identifier: BSL-1.0
// Tensors joined by a name of another library.
//
// expect: ashlar: names: tensors are joined by concat and stack; write concat<0>(x, y)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = cat(a, a);
#else
auto y = concat<0>(a, a);
#endif
