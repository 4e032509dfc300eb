// SPDX-License-Identifier: BSL-1.0
// A number as an option.
// expect: ashlar: attention: options are a mask, scale(s)
// expect: attention_argument<float>::is_option
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, 0.5f);
#else
auto y = attention(q, k, v, scale(0.5f));
#endif

}  // namespace
