// SPDX-License-Identifier: BSL-1.0
// Keys without rows.
//
// expect: ashlar: attention: q, k and v must be [..., rows, columns] of 2 to 5 axes
//
// expect: attention_axes<
//
// expect: ::are_supported
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 8> key{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, key, v);
#else
auto y = attention(q, k, v);
#endif
