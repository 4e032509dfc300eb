// SPDX-License-Identifier: BSL-1.0
// The rows of an array of one axis.
//
// expect: ashlar: rows: an array has rows if it has two axes or more; iterate over its elements
//
// expect: rows_rank<
#include <ashlar/interop/ranges.hpp>

ashlar::tensor<float, 4> row;
ashlar::tensor<float, 3, 4> matrix;
#ifdef ASHLAR_EXPECT_ERROR
auto all = ashlar::rows(row);
#else
auto all = ashlar::rows(matrix);
#endif
