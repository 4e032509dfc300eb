// SPDX-License-Identifier: BSL-1.0
// As many rows of keys as of values.
//
// expect: ashlar: kv_cache: there must be as many rows of keys as of values; slice one
//
// expect: prefilled_rows<5, 6>
#include <ashlar/nn/kv_cache.hpp>

ashlar::nn::kv_cache<float, 16, 2, 4> cache;
ashlar::tensor<float, 5, 8> k;
ashlar::tensor<float, 6, 8> v;
#ifdef ASHLAR_EXPECT_ERROR
void use() { cache.prefill(k, v); }
#else
void use() { cache.prefill(k, slice<0, 0, 5>(v)); }
#endif
