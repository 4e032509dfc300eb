// SPDX-License-Identifier: BSL-1.0
// Two masks.
//
// expect: ashlar: attention: an option can be given only once; combine masks with && or ||
//
// expect: option_count<
//
// expect: mask
//
// expect: >::is_at_most_one
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, causal, keys_below(3));
#else
auto y = attention(q, k, v, causal&& keys_below(3));
#endif
