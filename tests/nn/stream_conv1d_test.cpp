// SPDX-License-Identifier: BSL-1.0
// Streams of conv1d give the results of the layer with the whole signal, also less often than inputs, or later.
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;
using support::check_causal;
using support::check_whole;

TEST(stream_conv1d, contiguous_taps) {
    check_causal<{.in = 3, .out = 5, .kernel = 3, .channels_last = true}, 16, 100>();
    check_causal<{.in = 4, .out = 8, .kernel = 1, .bias = false, .channels_last = true}, 7, 50>();
}
// More rows are remembered than a block has: a ring.
TEST(stream_conv1d, ring) {
    check_causal<{.in = 4, .out = 6, .kernel = 3, .dilation = 16, .channels_last = true}, 16, 200>();
    check_causal<{.in = 1, .out = 8, .kernel = 40, .channels_last = true}, 8, 150>();
}
TEST(stream_conv1d, channels_first) { check_causal<{.in = 3, .out = 5, .kernel = 3, .dilation = 2}, 16, 100>(); }
TEST(stream_conv1d, strides) {
    check_causal<{.in = 3, .out = 4, .kernel = 3, .stride = 5, .dilation = 7, .channels_last = true}, 12, 101>();
}
// Frames of a signal begin with its first entry, as those of a call do.
TEST(stream_conv1d, whole) {
    check_whole<{.in = 2, .out = 3, .kernel = 25, .stride = 4, .channels_last = true}, 7, 103>();
}
TEST(stream_conv1d, padding) {
    check_whole<{.in = 2, .out = 3, .kernel = 3, .padding = 1, .channels_last = true}, 16, 60>();
    check_whole<{.in = 2, .out = 3, .kernel = 3, .stride = 2, .padding = 20, .dilation = 11, .channels_last = true}, 16,
                90>();
}

}  // namespace
