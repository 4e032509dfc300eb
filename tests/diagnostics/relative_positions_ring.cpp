// SPDX-License-Identifier: BSL-1.0
// The distance between a query and a key of a ring is not that of their places.
//
// expect: ashlar: nn: relative positions need a cache whose keys lie in the order of their positions; use cache_order::linear
#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
constexpr nn::cache_order order = nn::cache_order::ring;
#else
constexpr nn::cache_order order = nn::cache_order::linear;
#endif
void next(tensor<float, 1, 32>& x, const nn::encoder_layer<{.embed = 32, .heads = 4, .relative_positions = {}}>& layer,
          nn::kv_cache<float, 8, 4, 8, 8, order>& cache) {
    x = layer.decode(x, cache);
}
