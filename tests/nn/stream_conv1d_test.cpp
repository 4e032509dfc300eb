// SPDX-License-Identifier: BSL-1.0
// Streams of conv1d give the results of the layer with the whole signal.
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;
using support::check_causal;
using support::check_whole;

TEST(stream_conv1d, contiguous_taps) {
    check_causal<{.in = 3, .out = 5, .kernel = 3, .channels_last = true}, 16, 100>();
    check_causal<{.in = 4, .out = 8, .kernel = 1, .bias = false, .channels_last = true}, 7, 50>();
}
TEST(stream_conv1d, dilated) {
    check_causal<{.in = 4, .out = 6, .kernel = 3, .dilation = 5, .channels_last = true}, 16, 100>();
    check_causal<{.in = 2, .out = 3, .kernel = 14, .dilation = 2, .channels_last = true}, 32, 120>();
}
// More rows are remembered than a block has: a ring.
TEST(stream_conv1d, ring) {
    check_causal<{.in = 4, .out = 6, .kernel = 3, .dilation = 16, .channels_last = true}, 16, 200>();
    check_causal<{.in = 1, .out = 8, .kernel = 40, .channels_last = true}, 8, 150>();
}
TEST(stream_conv1d, channels_first) { check_causal<{.in = 3, .out = 5, .kernel = 3, .dilation = 2}, 16, 100>(); }

}  // namespace
