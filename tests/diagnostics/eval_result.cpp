// SPDX-License-Identifier: BSL-1.0
// A result beyond the stack budget needs a destination.
//
// expect: ashlar: eval: the result and its scratch exceed ASHLAR_STACK_BUDGET; evaluate into a destination of your own
#include <ashlar/ashlar.hpp>

void twice(ashlar::tensor<float, 512, 256>& out, const ashlar::tensor<float, 512, 256>& x) {
#ifdef ASHLAR_EXPECT_ERROR
    out = eval(x + x);
#else
    evaluate(out, x + x);
#endif
}
