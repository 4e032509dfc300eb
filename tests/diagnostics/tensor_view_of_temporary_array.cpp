// SPDX-License-Identifier: BSL-1.0
// A view of a temporary array.
// expect: ashlar: view: a view of a temporary would dangle; name the tensor first
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;

#ifdef ASHLAR_EXPECT_ERROR
tensor_view<const float, 3> v = std::array<float, 3>{1, 2, 3};
#else
std::array<float, 3> values{1, 2, 3};
tensor_view<const float, 3> v = values;
#endif
