// SPDX-License-Identifier: BSL-1.0
// The cache that a layer decodes with has its heads.
//
// expect: ashlar: encoder: decode needs rows [rows, embed] and a cache of the layer's heads and head width; change one
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

#ifdef ASHLAR_EXPECT_ERROR
constexpr std::size_t heads = 2;
#else
constexpr std::size_t heads = 4;
#endif
void next(ashlar::tensor<float, 1, 32>& x, const ashlar::nn::encoder_layer<{.embed = 32, .heads = 4}>& layer,
          ashlar::nn::kv_cache<float, 8, heads, 8>& cache) {
    x = layer.decode(x, cache);
}
