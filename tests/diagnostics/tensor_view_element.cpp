// SPDX-License-Identifier: BSL-1.0
// A view of structures.
//
// expect: ashlar: view: elements must be bool, integers or floating-point numbers
#include <ashlar/tensor/view.hpp>

struct sample {
    float left, right;
};
#ifdef ASHLAR_EXPECT_ERROR
void read(const ashlar::tensor_view<const sample, 4>& view) { static_cast<void>(view.data()); }
#else
void read(const ashlar::tensor_view<const float, 4, 2>& view) { static_cast<void>(view.data()); }
#endif
