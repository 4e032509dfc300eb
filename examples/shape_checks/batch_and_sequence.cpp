// SPDX-License-Identifier: BSL-1.0
// PyTorch's default order, sequence first, where batch is expected first.
// expect: ashlar: elementwise operation: the shapes must broadcast: from the last axis on, extents are equal or 1, and names equal; reshape, transpose or rename an operand
// expect: "batch"
// expect: "seq"
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"batch", 16> batch;
inline constexpr axis<"seq", 16> seq;
inline constexpr axis<"model", 64> model;

void add_positions(tensor<float, batch, seq, model>& y, const tensor<float, seq, batch, model>& x,
                   const tensor<float, seq, model>& positions) {
#ifdef ASHLAR_EXPECT_ERROR
    y = x + positions;
#else
    y = permute<1, 0, 2>(x) + positions;
#endif
}
