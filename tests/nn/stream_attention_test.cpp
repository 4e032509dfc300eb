// SPDX-License-Identifier: BSL-1.0
// Streams of multihead_attention give the results of a sliding window over the whole signal.
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;

template <class Layer, std::size_t Capacity, std::size_t Window>
void check() {
    static Layer layer{};
    support::fill(layer, 3);
    static nn::stream<Layer, Capacity, Window> s{layer};
    const auto x = support::random_numbers(4).normal<float, 70, Layer::embed>();
    const auto whole = eval(layer(x, sliding_window<Window - 1, 0>));
    support::check_stream(s, x, whole, 2e-5);
    support::check_prefill<1>(s, x, whole, 2e-5, 1);
    support::check_prefill<37>(s, x, whole, 2e-5, 37);
    static_assert(nn::stream<Layer, Capacity, Window>::state_bytes == sizeof(s));
}

TEST(stream_attention, window) {
    check<nn::multihead_attention<{.embed = 8, .heads = 2}>, 16, 9>();
    check<nn::multihead_attention<{.embed = 8, .heads = 4, .kv_heads = 2, .rope = {.positions = 100}}>, 5, 20>();
}
TEST(stream_attention, one_row) { check<nn::multihead_attention<{.embed = 8, .heads = 2}>, 1, 6>(); }

}  // namespace
