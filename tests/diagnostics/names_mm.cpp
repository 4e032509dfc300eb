// SPDX-License-Identifier: BSL-1.0
// A product of matrices by a name of another library.
// expect: ashlar: names: all products of matrices are called matmul; write matmul(x, y)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = mm(a, transpose(a));
#else
    [[maybe_unused]] auto y = matmul(a, transpose(a));
#endif
}
