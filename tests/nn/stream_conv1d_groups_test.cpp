// SPDX-License-Identifier: BSL-1.0
// Streams of conv1d with groups, and with narrow weights.
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;
using support::check_causal;

TEST(stream_conv1d, groups) {
    check_causal<{.in = 6, .out = 4, .kernel = 3, .dilation = 2, .groups = 2, .channels_last = true}, 16, 80>();
}
TEST(stream_conv1d, depthwise) {
    check_causal<{.in = 5, .out = 5, .kernel = 3, .stride = 2, .groups = 5}, 10, 61>();
    check_causal<{.in = 4, .out = 8, .kernel = 4, .dilation = 9, .groups = 4, .channels_last = true}, 16, 100>();
}
TEST(stream_conv1d, narrow_weights) {
    check_causal<{.in = 8, .out = 8, .kernel = 3, .dilation = 2, .channels_last = true}, 16, 60, float, std::int8_t>();
}

}  // namespace
