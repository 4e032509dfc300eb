// SPDX-License-Identifier: BSL-1.0
// Streams of multihead_attention give the results of a sliding window over the whole signal.
#include <tests/nn/attended_rows.hpp>
#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;

template <nn::attention_options Options, std::size_t Capacity, std::size_t Window>
void check() {
    using type = nn::multihead_attention<Options>;
    static type layer{};
    support::fill(layer, 3);
    static nn::stream<type, Capacity, Window> s{layer};
    const auto x = support::random_numbers(4).normal<float, 70, 8>();
    const reference::array rows = state::attended(layer, reference::of(x), reference::of(x),
                                                  [](auto i, auto j) { return j <= i && j + Window > i; });
    const auto whole =
        generate<float, 70, 8>([&](auto i, auto c) { return static_cast<float>(rows.values[8 * i + c]); });
    support::check_stream(s, x, whole, 2e-5);
    if constexpr (Capacity > 1) {
        support::check_prefill<1>(s, x, whole, 2e-5, 1);
        support::check_prefill<37>(s, x, whole, 2e-5, 37);
    }
    static_assert(nn::stream<type, Capacity, Window>::state_bytes == sizeof(s));
}

TEST(stream_attention, window_shorter_than_a_block) {
    check<{.embed = 8, .heads = 4, .kv_heads = 2, .rope = {.positions = 100}}, 16, 9>();
}
TEST(stream_attention, one_row) { check<{.embed = 8, .heads = 2}, 1, 6>(); }

}  // namespace
