// SPDX-License-Identifier: BSL-1.0
// A workspace for a prefill has at least prefill_workspace_bytes<K, V>.
//
// expect: ashlar: kv_cache: the workspace is too small; it needs prefill_workspace_bytes<K, V>, or remember_workspace_bytes<Memory, Cache> where a decoder remembers
// expect: workspace_size<64,
#include <ashlar/nn/kv_cache.hpp>

using namespace ashlar;
using cache_type = nn::kv_cache<float, 16, 2, 4>;
static cache_type cache;
static tensor<float, 5, 8> k;

void use() {
    const auto e = k * 2.0f;
#ifdef ASHLAR_EXPECT_ERROR
    static workspace<64> scratch;
#else
    static workspace<cache_type::prefill_workspace_bytes<decltype(e), decltype(e)>> scratch;
#endif
    cache.prefill(e, e, scratch);
}
