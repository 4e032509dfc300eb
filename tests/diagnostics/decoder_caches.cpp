// SPDX-License-Identifier: BSL-1.0
// The caches that a decoder decodes with have its heads.
//
// expect: ashlar: decoder: decode needs rows [rows, embed] and caches of the layer's heads and head width; change one
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/decoder.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
constexpr std::size_t head_width = 16;
#else
constexpr std::size_t head_width = 8;
#endif
using caches = std::array<nn::kv_cache<float, 8, 4, 8>, 2>;
using memories = std::array<nn::kv_cache<float, 8, 4, head_width>, 2>;
void next(tensor<float, 1, 32>& x, const nn::decoder<{.layer = {.embed = 32, .heads = 4}, .layers = 2}>& decoder,
          caches& so_far, const memories& of_memory) {
    x = decoder.decode(x, so_far, of_memory);
}
