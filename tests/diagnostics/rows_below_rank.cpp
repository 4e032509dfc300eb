// SPDX-License-Identifier: BSL-1.0
// A result without rows.
//
// expect: ashlar: rows_below: rows are the second to last axis of the result, which has fewer; unsqueeze one
//
// expect: result_rows<
//
// expect: ::are_second_to_last
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/operators.hpp>

using namespace ashlar;
const tensor<float, 8> vector{};
const tensor<float, 8, 1> column{};
void f(tensor<float, 8>& a, tensor<float, 8, 1>& b) {
#ifdef ASHLAR_EXPECT_ERROR
    evaluate(a, vector + vector, rows_below(3));
#else
    evaluate(b, column + column, rows_below(3));
#endif
}
