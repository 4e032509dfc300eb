// SPDX-License-Identifier: BSL-1.0
// store to a const tensor.
//
// expect: ashlar: store: the destination must be a named tensor or a view whose elements are not const
//
// expect: store_destination<
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/store.hpp>

ashlar::tensor<float, 3> x;
#ifdef ASHLAR_EXPECT_ERROR
const ashlar::tensor<float, 3> y{};
auto z = store(y, x * 2.0f);
#else
ashlar::tensor<float, 3> y{};
auto z = store(y, x * 2.0f);
#endif
