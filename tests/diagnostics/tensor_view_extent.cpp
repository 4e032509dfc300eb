// SPDX-License-Identifier: BSL-1.0
// A view without elements.
//
// expect: ashlar: view: every extent must be at least 1 and the size addressable
//
// expect: tensor_extents<4, 0
#include <ashlar/tensor/view.hpp>

#ifdef ASHLAR_EXPECT_ERROR
void read(const ashlar::tensor_view<float, 0, 3>& view) { static_cast<void>(view.data()); }
#else
void read(const ashlar::tensor_view<float, 1, 3>& view) { static_cast<void>(view.data()); }
#endif
