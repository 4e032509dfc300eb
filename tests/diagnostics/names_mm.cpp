// SPDX-License-Identifier: BSL-1.0
// A product of matrices by a name of another library.
//
// expect: ashlar: names: all products of matrices are called matmul; write matmul(x, y)
#include <ashlar/ashlar.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto y = mm(a, transpose(a));
#else
auto y = matmul(a, transpose(a));
#endif
