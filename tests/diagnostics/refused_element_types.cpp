// SPDX-License-Identifier: BSL-1.0
// A sum of two element types, assigned to the second: one error.
//
// expect: ashlar: elementwise operation: the element types must be the same; use cast<T>(x)
//
// expect: element_types<float, double>
#include <ashlar/ashlar.hpp>

void add(ashlar::tensor<double, 6>& y, const ashlar::tensor<float, 6>& a, const ashlar::tensor<double, 6>& b) {
#ifdef ASHLAR_EXPECT_ERROR
    y = exp(a + b);
#else
    y = exp(cast<double>(a) + b);
#endif
}
