// SPDX-License-Identifier: BSL-1.0
// conv1d with dilation and groups, down to one channel each.
#include <tests/support/convolutions.hpp>

namespace {

using namespace ashlar;
using support::one_axis;

TEST(conv1d, dilation_and_groups) {
    one_axis<{.in = 4, .out = 9, .kernel = 3, .padding = 2, .dilation = 2}, 20>();
    one_axis<{.in = 4, .out = 6, .kernel = 15, .dilation = 2}, 37>();
    one_axis<{.in = 6, .out = 9, .kernel = 3, .stride = 2, .padding = 1, .groups = 3}, 16>();
    one_axis<{.in = 6, .out = 12, .kernel = 5, .padding = 4, .dilation = 2, .groups = 6}, 19>();
    one_axis<{.in = 16, .out = 16, .kernel = 7, .padding = 3, .groups = 16}, 33>();
}
}  // namespace
