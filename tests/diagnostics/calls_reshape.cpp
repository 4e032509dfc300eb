// SPDX-License-Identifier: BSL-1.0
// reshape called as in libraries whose shapes are known at run time.
// expect: ashlar: reshape: takes one tensor, view or expression, and the dimensions as template arguments; write reshape<8, 4>(x), reshape<-1>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = reshape(a, 8, 4);
#else
    [[maybe_unused]] auto y = reshape<8, 4>(a);
#endif
}
