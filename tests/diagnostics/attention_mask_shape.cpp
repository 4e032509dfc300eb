// SPDX-License-Identifier: BSL-1.0
// A mask that does not broadcast to the scores.
// expect: ashlar: mask: the mask's tensor must broadcast to the scores
// expect: mask_shape<
// expect: ::fits
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;
const tensor<float, 2, 6, 5, 8> q{};
const tensor<float, 2, 3, 7, 8> k{};
const tensor<float, 2, 3, 7, 4> v{};
const tensor<bool, 6> other{};
const tensor<bool, 7> present{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = attention(q, k, v, keep(other));
#else
auto y = attention(q, k, v, keep(present));
#endif

}  // namespace
