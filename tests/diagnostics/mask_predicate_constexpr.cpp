// SPDX-License-Identifier: BSL-1.0
// A predicate that reads what is not constant.
//
// expect: ashlar: keep_if: the predicate must be constexpr
//
// expect: mask_predicate<
//
// expect: ::is_constexpr
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
const tensor<float, 2, 4, 8> scores{};
std::size_t width = 3;
inline constexpr std::size_t fixed = 3;
#ifdef ASHLAR_EXPECT_ERROR
auto y = masked(scores, keep_if([](std::size_t, std::size_t k) { return k < width; }));
#else
auto y = masked(scores, keep_if([](std::size_t, std::size_t k) { return k < fixed || width == 0; }));
#endif
