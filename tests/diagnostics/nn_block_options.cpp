// SPDX-License-Identifier: BSL-1.0
// Options of a layer among those of a llama_decoder.
//
// expect: ashlar: nn: embed, heads and hidden are options of each layer; write {.block = {.embed = 64, .heads = 4}, .layers = 6}
#include <ashlar/nn.hpp>

#ifdef ASHLAR_EXPECT_ERROR
static ashlar::nn::llama_decoder<{.embed = 8, .heads = 2, .layers = 2}> decoder{};
#else
static ashlar::nn::llama_decoder<{.block = {.embed = 8, .heads = 2}, .layers = 2}> decoder{};
#endif
