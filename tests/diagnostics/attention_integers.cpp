// SPDX-License-Identifier: BSL-1.0
// Integers have no softmax.
//
// expect: ashlar: attention: the elements must be floating-point numbers; use cast<float>(x)
//
// expect: floating_elements<int>::given
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

const ashlar::tensor<int, 5, 8> i{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(i, i, i);
#else
auto y = attention(cast<float>(i), cast<float>(i), cast<float>(i));
#endif
