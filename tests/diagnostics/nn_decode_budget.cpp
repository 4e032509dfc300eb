// SPDX-License-Identifier: BSL-1.0
// The norm of rows that one layer decodes is no larger than the stack budget, or held in a workspace.
//
// expect: ashlar: nn: the norm of the rows to decode exceeds ASHLAR_STACK_BUDGET; pass a workspace of append_workspace_bytes<X, Cache> after the caches, or decode fewer rows at once
// expect: held_on_stack<524288
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/encoder_layer.hpp>

using namespace ashlar;
using layer_type = nn::encoder_layer<{.embed = 128, .heads = 2, .norm_first = true}>;
using cache_type = nn::kv_cache<float, 1024, 2, 64>;

auto use(const layer_type& layer, const tensor<float, 1024, 128>& x, cache_type& cache) {
#ifdef ASHLAR_EXPECT_ERROR
    return layer.decode(x, cache);
#else
    static workspace<layer_type::append_workspace_bytes<decltype(x), cache_type>> scratch;
    return layer.decode(x, cache, scratch);
#endif
}
