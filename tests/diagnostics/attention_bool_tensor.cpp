// SPDX-License-Identifier: BSL-1.0
// A bool tensor as an option.
//
// expect: ashlar: attention: options are a mask, scale(s), softcap(c), bias(e), score_mod(f) and fast; a bool tensor becomes a mask by keep(t) or ignore(t)
// expect: attention_argument<
// expect: ::is_option
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<bool, 7> present{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, present);
#else
auto y = attention(q, k, v, keep(present));
#endif
