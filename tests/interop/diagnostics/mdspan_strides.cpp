// SPDX-License-Identifier: BSL-1.0
// A view of an mdspan whose strides are numbers of the running program.
// expect: ashlar: mdspan: layout_stride has its strides at run time; write strided_view_of<strides, 4, 8>(m)
#include <array>
#include <cstddef>
#include <mdspan>

#include <ashlar/interop/mdspan.hpp>

namespace {

float memory[64];
using extents = std::extents<int, 4, 8>;
std::mdspan<float, extents, std::layout_stride> m(memory, std::layout_stride::mapping(extents{}, std::array{16, 1}));
constexpr std::array<std::ptrdiff_t, 2> strides{16, 1};
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of<4, 8>(m);
#else
auto x = ashlar::strided_view_of<strides, 4, 8>(m);
#endif

}  // namespace
