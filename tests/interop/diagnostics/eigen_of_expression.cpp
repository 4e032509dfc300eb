// SPDX-License-Identifier: BSL-1.0
// A map of a lazy expression.
// expect: ashlar: view: an expression has no memory; make a tensor of it first
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/interop/eigen.hpp>

namespace {

ashlar::tensor<float, 4, 4> t;
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::eigen_of(t + t);
#else
auto x = ashlar::eigen_of(t);
#endif

}  // namespace
