// SPDX-License-Identifier: BSL-1.0
// A stream borrows its layer, which would be gone.
// expect: ashlar: nn: an expression borrows its module, and a temporary one would dangle; name it first
// expect: temporary_module<
#include <ashlar/nn.hpp>

using namespace ashlar;
using layer = nn::conv1d<{.in = 2, .out = 4, .kernel = 3}>;
#ifdef ASHLAR_EXPECT_ERROR
nn::stream<layer, 64> s{layer{}};
#else
layer conv{};
nn::stream<layer, 64> s{conv};
#endif
