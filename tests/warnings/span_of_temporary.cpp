// SPDX-License-Identifier: BSL-1.0
// A std::span over a temporary tensor, which std::span's constructor takes: its constraints ask for a contiguous range
// of const elements, and look at an lvalue. clang is told who owns the elements, and warns.
// expect clang: object backing the pointer will be destroyed at the end of the full-expression
#include <ranges>
#include <span>

#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

static_assert(std::ranges::contiguous_range<tensor<float, 3>&> &&
              std::ranges::contiguous_range<const tensor<float, 3>&>);
static_assert(!std::ranges::borrowed_range<tensor<float, 3>>);

#pragma clang diagnostic error "-Wdangling-gsl"
float first() {
#ifdef ASHLAR_EXPECT_ERROR
    const std::span<const float> elements(iota<float, 3>());
#else
    const tensor<float, 3> named = iota<float, 3>();
    const std::span elements(named);
#endif
    return elements[0];
}
