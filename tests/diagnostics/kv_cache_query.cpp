// SPDX-License-Identifier: BSL-1.0
// Queries whose heads are not a multiple of the cache's.
//
// expect: ashlar: kv_cache: queries must be [query heads, width] or [query heads, rows, width], with a multiple of the cache's heads
// expect: cached_query<
#include <ashlar/nn/kv_cache.hpp>

ashlar::nn::kv_cache<float, 16, 2, 4> cache;
ashlar::tensor<float, 3, 4> q;
#ifdef ASHLAR_EXPECT_ERROR
void use() { static_cast<void>(cache.attend(q)); }
#else
void use() { static_cast<void>(cache.attend(slice<0, 0, 2>(q))); }
#endif
