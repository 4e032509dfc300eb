// SPDX-License-Identifier: BSL-1.0
// Different element types.
//
// expect: ashlar: attention: q, k and v must have the same element type; use cast<T>(x)
//
// expect: element_types<float, double>::same
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<double, 2, 3, 7, 8> wide{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, wide, v);
#else
auto y = attention(q, cast<float>(wide), v);
#endif
