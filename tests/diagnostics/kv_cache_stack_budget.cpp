// SPDX-License-Identifier: BSL-1.0
// Rows that are computed and may have to be held are no larger than the stack budget, or held in a workspace.
//
// expect: ashlar: kv_cache: computed rows, or their scratch, exceed ASHLAR_STACK_BUDGET; pass a workspace, of prefill_workspace_bytes<K, V>, or of remember_workspace_bytes<Memory, Cache> where a decoder remembers
// expect: held_on_stack<524288
#include <ashlar/nn/kv_cache.hpp>

using cache_type = ashlar::nn::kv_cache<float, 512, 2, 128>;
static cache_type cache;
static ashlar::tensor<float, 512, 256> k;

void use() {
    const auto e = k * 2.0f;
#ifdef ASHLAR_EXPECT_ERROR
    cache.prefill(e, e);
#else
    static ashlar::workspace<cache_type::prefill_workspace_bytes<decltype(e), decltype(e)>> scratch;
    cache.prefill(e, e, scratch);
#endif
}
