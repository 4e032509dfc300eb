// SPDX-License-Identifier: BSL-1.0
// A value is missing.
// expect: ashlar: attention: k and v must have the same rows, a value for each key
// expect: attention_rows<7
// expect: ::agree
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 2, 3, 6, 4> fewer{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, fewer);
#else
auto y = attention(q, k, v);
#endif

}  // namespace
