// SPDX-License-Identifier: BSL-1.0
// Counts that are not integers.
//
// expect: ashlar: rows_below: takes an integer or an integer tensor over the batch axes
//
// expect: entry_integers<
//
// expect: ::are_integers_in_memory
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/operators.hpp>

using namespace ashlar;
const tensor<float, 2> counts{};
const tensor<int, 2> numbers{};
#ifdef ASHLAR_EXPECT_ERROR
auto rows = rows_below(counts);
#else
auto rows = rows_below(numbers);
#endif
