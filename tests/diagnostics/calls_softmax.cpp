// SPDX-License-Identifier: BSL-1.0
// A softmax along an axis that is an argument.
// expect: ashlar: softmax: takes one tensor, view or expression, and the axis as template argument; write softmax<1>(x)
#include <ashlar/ashlar.hpp>

using namespace ashlar;
static tensor<float, 4, 8> a{};

void program() {
#ifdef ASHLAR_EXPECT_ERROR
    [[maybe_unused]] auto y = softmax(a, -1);
#else
    [[maybe_unused]] auto y = softmax<-1>(a);
#endif
}
