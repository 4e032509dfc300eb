// SPDX-License-Identifier: BSL-1.0
// Appending a row of keys of another width.
//
// expect: ashlar: kv_cache: a row of keys must be [heads, width] or [heads * width]; reshape it
//
// expect: cached_row<
#include <ashlar/nn/kv_cache.hpp>

ashlar::nn::kv_cache<float, 16, 2, 4> cache;
ashlar::tensor<float, 2, 4> k, v;
ashlar::tensor<float, 4, 4> wide;
#ifdef ASHLAR_EXPECT_ERROR
void use() { cache.append(wide, v); }
#else
void use() { cache.append(k, v); }
#endif
