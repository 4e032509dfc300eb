// SPDX-License-Identifier: BSL-1.0
// The rows of a lazy expression.
// expect: ashlar: view: an expression has no memory; make a tensor of it first
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/interop/ranges.hpp>

namespace {

ashlar::tensor<float, 4, 8> t;
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::rows(t + t);
#else
auto x = ashlar::rows(t);
#endif

}  // namespace
