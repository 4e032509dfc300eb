// SPDX-License-Identifier: BSL-1.0
// Leading axes of values that do not broadcast.
//
// expect: ashlar: attention: the leading axes of v must broadcast to those of q and k
//
// expect: attention_batch<
//
// expect: ::broadcasts
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 3, 3, 7, 4> three{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, three);
#else
auto y = attention(q, k, v);
#endif
