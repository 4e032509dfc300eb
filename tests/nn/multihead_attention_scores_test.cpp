// SPDX-License-Identifier: BSL-1.0
// multihead_attention: every option of attention at once.
#include <tests/nn/state.hpp>

#include <ashlar/nn/layers/multihead_attention.hpp>

namespace {

using namespace ashlar;
using reference::of;

template <nn::attention_options Options>
struct fixture {
    nn::multihead_attention<Options> module{};
    fixture() { state::randomise(module); }
    state::dict dict() const { return state::of(module); }
    static constexpr state::attention_shape shape{nn::multihead_attention<Options>::embed,
                                                  nn::multihead_attention<Options>::heads,
                                                  nn::multihead_attention<Options>::kv_heads};
};

TEST(multihead_attention_scores, options_of_attention) {
    const fixture<nn::attention_options{.embed = 16, .heads = 2}> f;
    support::random_numbers random(6);
    const auto x = random.normal<float, 9, 16>();
    const auto added = random.normal<float, 2, 9, 9>();
    const auto& m = f.module;
    // A bias of minus infinity is a mask, and the scale is a factor of the queries.
    tensor<float, 9, 9> lower{};
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = i + 1; j < 9; ++j) lower(i, j) = -std::numeric_limits<float>::infinity();
    support::check(m(x, bias(lower)),
                   state::attention(f.dict(), "", f.shape, of(x), of(x), of(x), state::keeps_causal).output);
    const auto by_hand =
        attention(m.queries(x), m.keys(x), m.values(x), scale(0.1f), softcap(2.0f), bias(added), sliding_window<2, 1>);
    support::check(m(x, scale(0.1f), sliding_window<2, 1>, softcap(2.0f), bias(added)),
                   of(eval(m.out_proj(nn::merge_heads(by_hand)))));
}

}  // namespace
