// SPDX-License-Identifier: BSL-1.0
// Queries and keys of different depths.
//
// expect: ashlar: attention: q and k must have the same last axis
//
// expect: attention_depth<8
//
// expect: ::agrees
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 2, 3, 7, 4> narrow{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, narrow, v);
#else
auto y = attention(q, k, v);
#endif
