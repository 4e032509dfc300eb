// SPDX-License-Identifier: BSL-1.0
// Adding positions to rows of another width.
//
// expect: ashlar: positions: the last two axes must be rows and .size, and the rows at most .positions; slice them
//
// expect: positioned_rows<
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/nn/positions/positions.hpp>

ashlar::nn::learned_positions<{.positions = 16, .size = 8}> places;
ashlar::tensor<float, 4, 9> x;
#ifdef ASHLAR_EXPECT_ERROR
auto y = places(x);
#else
auto y = places(slice<1, 0, 8>(x));
#endif
