// SPDX-License-Identifier: BSL-1.0
// Heads of values that do not divide.
//
// expect: ashlar: attention: the heads of q (the axis before the last two) must be a multiple of those of v
//
// expect: attention_heads<6
//
// expect: ::divide
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 2, 4, 7, 4> four{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, four);
#else
auto y = attention(q, k, v);
#endif
