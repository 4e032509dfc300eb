// SPDX-License-Identifier: BSL-1.0
// A view of mutable elements over const memory.
//
// expect: ashlar: view: the memory must be of the view's element type; const memory needs a view of const elements
//
// expect: viewed_element<const float, float>
#include <ashlar/tensor/tensor.hpp>

const float values[3]{1, 2, 3};
#ifdef ASHLAR_EXPECT_ERROR
ashlar::tensor_view<float, 3> v = values;
#else
ashlar::tensor_view<const float, 3> v = values;
#endif
