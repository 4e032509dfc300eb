// SPDX-License-Identifier: BSL-1.0
// A cache for heads of 64 gets keys of heads of 32.
// expect: ashlar: kv_cache: a row of keys must be [heads, width] or [heads * width]; reshape it
// expect: shape<8
// expect: 64>
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>
using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
using cache = nn::kv_cache<float, 256, 8, 64>;
#else
using cache = nn::kv_cache<float, 256, 8, 32>;
#endif

void remember(cache& c, const tensor<float, 8, 32>& key, const tensor<float, 8, 32>& value) { c.append(key, value); }
