// SPDX-License-Identifier: BSL-1.0
// A predicate of one argument.
//
// expect: ashlar: keep_if: the predicate must take the query's and the key's std::size_t index
//
// expect: mask_predicate<
//
// expect: ::takes_two_indices
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep_if([](std::size_t k) { return k < 3; }));
#else
auto y = masked(scores, keep_if([](std::size_t, std::size_t k) { return k < 3; }));
#endif
