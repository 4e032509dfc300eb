// SPDX-License-Identifier: BSL-1.0
// The span of a strided view.
// expect: ashlar: ranges: a span has its elements side by side; make a tensor of a strided view
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/interop/ranges.hpp>

namespace {

ashlar::tensor<float, 4, 8> t;
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::span_of(ashlar::transpose(t));
#else
auto x = ashlar::span_of(t);
#endif

}  // namespace
