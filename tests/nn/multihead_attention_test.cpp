// SPDX-License-Identifier: BSL-1.0
// multihead_attention against loops over its state dict: self and cross attention, masks, widths, weights.
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

TEST(multihead_attention, names_and_shapes_of_files) {
    using extents = std::vector<std::size_t>;
    const auto d = fixture<nn::attention_options{.embed = 24, .heads = 3}>().dict();
    EXPECT_EQ(d.size(), 4u);
    EXPECT_EQ(d.at("in_proj_weight").extents, (extents{72, 24}));
    EXPECT_EQ(d.at("in_proj_bias").extents, (extents{72}));
    EXPECT_EQ(d.at("out_proj.weight").extents, (extents{24, 24}));
    EXPECT_EQ(d.at("out_proj.bias").extents, (extents{24}));
    const auto e =
        fixture<nn::attention_options{.embed = 24, .heads = 3, .kdim = 10, .vdim = 11, .out_bias = false}>().dict();
    EXPECT_EQ(e.size(), 5u);
    EXPECT_EQ(e.at("q_proj_weight").extents, (extents{24, 24}));
    EXPECT_EQ(e.at("k_proj_weight").extents, (extents{24, 10}));
    EXPECT_EQ(e.at("v_proj_weight").extents, (extents{24, 11}));
    constexpr nn::attention_options of_llama{
        .embed = 24, .heads = 6, .kv_heads = 2, .bias = false, .names = nn::attention_names::llama};
    const auto f = fixture<of_llama>().dict();
    EXPECT_EQ(f.size(), 4u);
    EXPECT_EQ(f.at("k_proj.weight").extents, (extents{8, 24}));
}

// K and V, then one loop that never holds more than a tile.
using self = decltype(std::declval<const nn::multihead_attention<{.embed = 24, .heads = 3}>&>()(
    std::declval<const tensor<float, 37, 24>&>(), causal));
static_assert(plan<self>.step_count == 2 && plan<self>.barrier_count == 2 && plan<self>.steps[1].writes_result);
static_assert(plan<self>.barrier_bytes == 2 * 37 * 24 * sizeof(float));

TEST(multihead_attention, causal_of_an_expression) {
    const fixture<nn::attention_options{.embed = 24, .heads = 3}> f;
    const auto x = support::random_numbers(3).normal<float, 19, 24>();
    const auto twice = reference::add(of(x), of(x));
    support::check(f.module(x + x, causal),
                   state::attention(f.dict(), "", f.shape, twice, twice, twice, state::keeps_causal).output);
}

TEST(multihead_attention, cross_with_other_widths) {
    const fixture<nn::attention_options{.embed = 48, .heads = 8, .kdim = 10, .vdim = 20}> f;
    support::random_numbers random(4);
    const auto q = random.normal<float, 2, 5, 48>();
    const auto k = random.normal<float, 2, 19, 10>();
    const auto v = random.normal<float, 2, 19, 20>();
    const tensor<int, 2> lengths{11, 0};
    const auto kept = [](const reference::index& c) { return c[3] < (c[0] == 0 ? 11u : 0u); };
    support::check(f.module(q, k, v, keys_below(lengths)),
                   state::attention(f.dict(), "", f.shape, of(q), of(k), of(v), kept).output);
    // The scratch is that of one sequence.
    using batch = decltype(f.module(q, k, v));
    using one = decltype(f.module(q[0], k[0], v[0]));
    static_assert(workspace_bytes<batch> == workspace_bytes<one>);
}

}  // namespace
