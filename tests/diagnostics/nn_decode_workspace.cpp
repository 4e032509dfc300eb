// SPDX-License-Identifier: BSL-1.0
// A workspace for the rows that one layer decodes has at least append_workspace_bytes<X, Cache>.
//
// expect: ashlar: nn: the workspace is too small to decode; it needs append_workspace_bytes<X, Cache>
//
// expect: workspace_size<64,
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;
using layer_type = nn::encoder_layer<{.embed = 16, .heads = 2, .norm_first = true}>;
using cache_type = nn::kv_cache<float, 16, 2, 8>;

auto use(const layer_type& layer, const tensor<float, 4, 16>& x, cache_type& cache) {
#ifdef ASHLAR_EXPECT_ERROR
    static workspace<64> scratch;
#else
    static workspace<layer_type::append_workspace_bytes<decltype(x), cache_type>> scratch;
#endif
    return layer.decode(x, cache, scratch);
}
