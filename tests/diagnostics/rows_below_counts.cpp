// SPDX-License-Identifier: BSL-1.0
// Counts that are not over the batch axes of the result.
//
// expect: ashlar: rows_below: the axes of the counts must be batch axes of the result; unsqueeze or rename them
//
// expect: entry_integers_shape<
//
// expect: ::fits
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/operators.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> x{};
const tensor<int, 3> three{};
const tensor<int, 2> two{};
void f(tensor<float, 2, 4, 8>& y) {
#ifdef ASHLAR_EXPECT_ERROR
    evaluate(y, x + x, rows_below(three));
#else
    evaluate(y, x + x, rows_below(two));
#endif
}
