// SPDX-License-Identifier: BSL-1.0
// A bias that does not broadcast to the scores.
//
// expect: ashlar: attention: a bias or scale must broadcast to the scores
//
// expect: option_shape<
//
// expect: ::fits
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<float, 2, 5, 7> two{};
const tensor<float, 6, 5, 7> six{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, bias(two));
#else
auto y = attention(q, k, v, bias(six));
#endif
