// SPDX-License-Identifier: BSL-1.0
// Values of many rows with the heads in the middle.
//
// expect: ashlar: kv_cache: values must be [heads, rows, width] or [rows, heads * width]; reshape or permute
//
// expect: cached_rows<
#include <ashlar/nn/kv_cache.hpp>

ashlar::nn::kv_cache<float, 16, 2, 4> cache;
ashlar::tensor<float, 2, 5, 4> k;
ashlar::tensor<float, 5, 2, 4> v;
#ifdef ASHLAR_EXPECT_ERROR
void use() { cache.prefill(k, v); }
#else
void use() { cache.prefill(k, permute<1, 0, 2>(v)); }
#endif
