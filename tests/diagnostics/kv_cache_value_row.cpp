// SPDX-License-Identifier: BSL-1.0
// Appending a row of values whose heads are columns.
//
// expect: ashlar: kv_cache: a row of values must be [heads, width] or [heads * width]; reshape it
//
// expect: cached_row<
#include <ashlar/nn/kv_cache.hpp>

ashlar::nn::kv_cache<float, 16, 2, 4> cache;
ashlar::tensor<float, 2, 4> k;
ashlar::tensor<float, 4, 2> v;
#ifdef ASHLAR_EXPECT_ERROR
void use() { cache.append(k, v); }
#else
void use() { cache.append(k, transpose(v)); }
#endif
