// SPDX-License-Identifier: BSL-1.0
// A view whose dimensions are not those of the mdspan's type.
// expect: ashlar: mdspan: the dimensions must be as many as the mdspan's, and equal where its type has them
// expect: mdspan_shape<
// expect: ::matches
#include <mdspan>

#include <ashlar/interop/mdspan.hpp>

namespace {

float memory[32];
std::mdspan<float, std::extents<int, std::dynamic_extent, 8>> m(memory, 4);
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of<8, 4>(m);
#else
auto x = ashlar::view_of<4, 8>(m);
#endif

}  // namespace
