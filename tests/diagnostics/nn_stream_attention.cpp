// SPDX-License-Identifier: BSL-1.0
// Biases by distance, and keys in a ring.
//
// expect: ashlar: nn: stream: a stream of attention needs keys and values of width embed, and no relative
//
// expect: streamed_attention<
#include <ashlar/nn.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<nn::multihead_attention<{.embed = 8, .heads = 2, .relative_positions = {.heads = 2}}>, 4, 16> s;
#else
nn::stream<nn::multihead_attention<{.embed = 8, .heads = 2, .rope = {.positions = 64}}>, 4, 16> s;
#endif
