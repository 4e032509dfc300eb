// SPDX-License-Identifier: BSL-1.0
// A view over an array of another size.
//
// expect: ashlar: view: the memory must have as many elements as the view; a pointer views part of it
//
// expect: memory_extent<5, 6>
#include <ashlar/tensor/tensor.hpp>

std::array<float, 5> five;
std::array<float, 6> six;
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor_view<float, 2, 3> v = five;
#else
ashlar::tensor_view<float, 2, 3> v = six;
#endif
