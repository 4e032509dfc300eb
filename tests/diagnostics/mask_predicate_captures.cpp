// SPDX-License-Identifier: BSL-1.0
// A predicate of run time.
//
// expect: ashlar: keep_if: the predicate must capture nothing
//
// expect: mask_predicate<
//
// expect: ::is_captureless
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
int width = 3;
#ifdef ASHLAR_EXPECT_ERROR
auto y =
    masked(scores, keep_if([w = width](std::size_t q, std::size_t k) { return q < k + static_cast<std::size_t>(w); }));
#else
auto y = masked(scores, keep_if([](std::size_t q, std::size_t k) { return q < k + 3; }));
#endif
