// SPDX-License-Identifier: BSL-1.0
// The size of an axis, written as in PyTorch.
// expect: ashlar: member: a shape is part of the type; write x.extents[0], x.rank
#include <ashlar/tensor/tensor.hpp>

static ashlar::tensor<float, 4, 8> a{};

#ifdef ASHLAR_EXPECT_ERROR
auto rows = a.size(0);
#else
auto rows = a.extents[0];
auto all = a.size();
#endif
