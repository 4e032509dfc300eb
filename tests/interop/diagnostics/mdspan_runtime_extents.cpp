// SPDX-License-Identifier: BSL-1.0
// A view of an mdspan whose type does not tell the shape.
// expect: ashlar: mdspan: its type does not tell the shape; write view_of<4, 8>(m), try_view_of<4, 8>(m)
#include <mdspan>

#include <ashlar/interop/mdspan.hpp>

namespace {

float memory[32];
std::mdspan<float, std::dextents<int, 2>> m(memory, 4, 8);
#ifdef ASHLAR_EXPECT_ERROR
auto x = ashlar::view_of(m);
#else
auto x = ashlar::view_of<4, 8>(m);
#endif

}  // namespace
