// SPDX-License-Identifier: BSL-1.0
// The rules of attention hold for its weights.
// expect: ashlar: attention: q and k must have the same last axis
// expect: attention_depth<8
// expect: ::agrees
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> narrow{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention_weights(q, narrow);
#else
auto y = attention_weights(q, k);
#endif

}  // namespace
