// SPDX-License-Identifier: BSL-1.0
// ! of keep_if without parentheses is the built-in one.
//
// expect: ashlar: mask: this is not a mask;
//
// expect: keep_if<p>() of a predicate
//
// expect: mask_of_scores<bool>::is_mask
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
constexpr bool near(std::size_t q, std::size_t k) { return q < k + 2; }
#ifdef __clang__  // The warning is right, but here only the error counts.
#pragma clang diagnostic ignored "-Wpointer-bool-conversion"
#endif
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, !keep_if<near>);
#else
auto y = masked(scores, !keep_if<near>());
#endif
