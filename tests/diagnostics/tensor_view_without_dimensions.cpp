// SPDX-License-Identifier: BSL-1.0
// A view of memory without a shape.
//
// expect: ashlar: view: the element type and the dimensions are template arguments; write tensor_view<float, 4, 8> t{memory}
//
// expect: ::tell_dimensions
#include <array>

#include <ashlar/ashlar.hpp>

using namespace ashlar;
std::array<float, 32> memory{};

#ifdef ASHLAR_EXPECT_ERROR
tensor_view t = memory;
#else
tensor_view<float, 4, 8> t{memory};
#endif
