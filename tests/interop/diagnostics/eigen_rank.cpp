// SPDX-License-Identifier: BSL-1.0
// A map of an array of three axes.
// expect: ashlar: eigen: a matrix has one or two axes; map t[i], or reshape
#include <ashlar/interop/eigen.hpp>

namespace {

ashlar::tensor<float, 2, 3, 4> t;
#ifdef ASHLAR_EXPECT_ERROR
auto m = ashlar::eigen_of(t);
#else
auto m = ashlar::eigen_of(t[0]);
#endif

}  // namespace
