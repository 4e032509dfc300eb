// SPDX-License-Identifier: BSL-1.0
// Streams of recurrent layers give the results of the layer with the whole sequence.
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;

template <class Layer>
void check(double tolerance = 1e-5) {
    static Layer layer{};
    support::fill(layer, 3);
    static nn::stream<Layer, 16> s{layer};
    const auto x = support::random_numbers(4).normal<float, 90, Layer::in>();
    const auto whole = eval(layer(x));
    support::check_stream(s, x, whole, tolerance);
    support::check_prefill<40>(s, x, whole, tolerance, 40);
    static_assert(nn::stream<Layer, 16>::state_bytes == sizeof(s));
}

TEST(stream_recurrent, lstm) { check<nn::lstm<{.in = 5, .hidden = 6, .layers = 2, .projection = 4}>>(); }
TEST(stream_recurrent, gru) { check<nn::gru<{.in = 3, .hidden = 8, .batch_first = false}>>(); }
TEST(stream_recurrent, rnn) { check<nn::rnn<{.in = 3, .hidden = 8, .activation = nn::activation::tanh}>>(); }

}  // namespace
