// SPDX-License-Identifier: BSL-1.0
// A module called with a vector.
//
// expect: ashlar: nn: a module is called with tensors, views or expressions, and then options; tensor_view<float, 2, 3>{memory} makes one of other memory
#include <vector>

#include <ashlar/nn.hpp>

static ashlar::nn::linear<{.in = 8, .out = 2}> head{};

std::vector<float> v(32);
#ifdef ASHLAR_EXPECT_ERROR
auto y = head(v);
#else
auto y = head(ashlar::tensor_view<float, 4, 8>{v});
#endif
