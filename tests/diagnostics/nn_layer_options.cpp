// SPDX-License-Identifier: BSL-1.0
// Options of a layer among those of an encoder.
//
// expect: ashlar: nn: embed, heads and hidden are options of each layer; write {.layer = {.embed = 64, .heads = 4}, .layers = 6}
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
static ashlar::nn::encoder<{.embed = 8, .heads = 2, .layers = 2}> encoder{};
#else
static ashlar::nn::encoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}> encoder{};
#endif
