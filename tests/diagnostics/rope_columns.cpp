// SPDX-License-Identifier: BSL-1.0
// Cosines for every entry instead of every pair.
//
// expect: ashlar: rope: cosines and sines must have a column for each pair of entries, or fewer; slice them
//
// expect: rotated_width<8, 8>
#include <ashlar/nn/positions/rope.hpp>

using namespace ashlar;
tensor<float, 5, 8> x, cosines, sines;
#ifdef ASHLAR_EXPECT_ERROR
auto y = nn::rotate<nn::pair_order::halves>(x, cosines, sines);
#else
auto y = nn::rotate<nn::pair_order::halves>(x, slice<1, 0, 4>(cosines), slice<1, 0, 4>(sines));
#endif
