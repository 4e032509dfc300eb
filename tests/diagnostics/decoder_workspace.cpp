// SPDX-License-Identifier: BSL-1.0
// A workspace for a memory has at least remember_workspace_bytes<Memory, Cache>.
//
// expect: ashlar: decoder: the workspace is too small; it needs remember_workspace_bytes<Memory, Cache>
//
// expect: workspace_size<64,
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/decoder.hpp>

using namespace ashlar;
using decoder = nn::decoder<{.layer = {.embed = 128, .heads = 2}, .layers = 1}>;
using cache_type = nn::kv_cache<float, 64, 2, 64>;

void use(const decoder& d, const tensor<float, 64, 128>& memory, std::array<cache_type, 1>& memories) {
#ifdef ASHLAR_EXPECT_ERROR
    static workspace<64> scratch;
#else
    static workspace<decoder::remember_workspace_bytes<decltype(memory), cache_type>> scratch;
#endif
    d.remember(memory, memories, scratch);
}
