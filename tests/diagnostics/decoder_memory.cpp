// SPDX-License-Identifier: BSL-1.0
// A memory that is computed when it is remembered is no larger than the stack budget, or held in a workspace.
//
// expect: ashlar: decoder: the memory, or its scratch, exceeds ASHLAR_STACK_BUDGET; evaluate it into a tensor, or pass a workspace of remember_workspace_bytes<Memory, Cache>
// expect: held_on_stack<524288
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/decoder.hpp>

using namespace ashlar;
using decoder = nn::decoder<{.layer = {.embed = 128, .heads = 2}, .layers = 1}>;
using cache_type = nn::kv_cache<float, 1024, 2, 64>;

void use(const decoder& d, const tensor<float, 1024, 128>& memory, std::array<cache_type, 1>& memories) {
#ifdef ASHLAR_EXPECT_ERROR
    d.remember(memory * 2.0f, memories);
#else
    static workspace<decoder::remember_workspace_bytes<decltype(memory * 2.0f), cache_type>> scratch;
    d.remember(memory * 2.0f, memories, scratch);
#endif
}
