// SPDX-License-Identifier: BSL-1.0
// A bias of other elements.
//
// expect: ashlar: attention: a bias or scale must have the element type of q
//
// expect: element_types<float, double>::same
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<double, 5, 7> wide{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, bias(wide));
#else
auto y = attention(q, k, v, bias(cast<float>(wide)));
#endif
