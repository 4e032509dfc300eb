// SPDX-License-Identifier: BSL-1.0
// Rotated queries and keys, learnt numbers for distances, and results of another width: options of attention, against
// loops in double.
#include <tests/nn/attended_rows.hpp>

namespace {

using namespace ashlar;
using reference::of;
using state::attended;
using state::keep_all;
using state::keep_causal;

template <nn::attention_options Options, std::size_t Rows>
void check_causal() {
    static nn::multihead_attention<Options> module{};
    state::randomise(module, Rows + 1);
    const auto x = support::random_numbers(Rows).normal<float, Rows, 24>();
    support::check(module(x, causal), attended(module, of(x), of(x), keep_causal), 4e-6);
}
template <nn::attention_options Options, std::size_t Rows, std::size_t Keys>
void check_cross() {
    static nn::multihead_attention<Options> module{};
    state::randomise(module, Rows + 1);
    support::random_numbers random(Rows);
    const auto x = random.normal<float, Rows, 24>();
    const auto memory = random.normal<float, Keys, 24>();
    support::check(module(x, memory, memory), attended(module, of(x), of(memory), keep_all), 4e-6);
    static_assert(shape_of<decltype(module(x))>::extents[1] == nn::multihead_attention<Options>::out);
}

TEST(layer_positions, queries_and_keys_are_rotated) {
    check_causal<{.embed = 24, .heads = 3, .rope = {.positions = 17}}, 17>();
    check_cross<{.embed = 24,
                 .heads = 2,
                 .rope = {.positions = 40, .rotated = 8, .pairs = nn::pair_order::halves, .base = 500, .stretch = 2}},
                17, 16>();
}

TEST(layer_positions, scores_have_learnt_numbers_for_distances) {
    constexpr nn::attention_options all{
        .embed = 24, .heads = 4, .kv_heads = 2, .out = 7, .rope = {.positions = 41}, .relative_positions = {}};
    check_cross<all, 1, 5>();
    check_cross<{.embed = 24,
                 .heads = 4,
                 .kv_heads = 2,
                 .out = 7,
                 .rope = {.positions = 41},
                 .relative_positions = {.buckets = 8, .distance = 11, .bidirectional = false}},
                37, 41>();
}

TEST(layer_positions, batches_of_sequences_first) {
    static nn::multihead_attention<{.embed = 24,
                                    .heads = 3,
                                    .batch_first = false,
                                    .rope = {.positions = 20},
                                    .relative_positions = {.buckets = 12}}>
        module{};
    state::randomise(module);
    const auto x = support::random_numbers(4).normal<float, 13, 3, 24>();
    const reference::array entries = state::batch_exchanged(of(x));
    const reference::array results = state::batch_exchanged(of(support::evaluated(module(x))));
    const auto entry = [](const reference::array& all, std::size_t b) {
        reference::array one = state::rows(all, b, 1);
        one.extents = {13, 24};
        return one;
    };
    for (std::size_t b = 0; b < 3; ++b) {
        const reference::array one = entry(entries, b);
        reference::expect_near(entry(results, b), attended(module, one, one, keep_all), 4e-6);
    }
}

TEST(layer_positions, weights_are_those_of_the_call) {
    static nn::multihead_attention<{.embed = 24, .heads = 3, .rope = {.positions = 20}, .relative_positions = {}}> m{};
    state::randomise(m);
    const auto x = support::random_numbers(5).normal<float, 11, 24>();
    tensor<float, 3, 11, 11> stored{};
    const tensor<float, 11, 24> y = m.storing_weights(stored, x, x, x, causal);
    support::check(y, attended(m, of(x), of(x), keep_causal), 4e-6);
    const tensor<float, 3, 11, 11> weights = m.weights(x, x, causal);
    for (std::size_t i = 0; i < stored.size(); ++i) EXPECT_NEAR(stored.data()[i], weights.data()[i], 1e-6);
}

TEST(layer_positions, names_and_counts) {
    using type = nn::multihead_attention<{.embed = 24, .heads = 3, .out = 40, .relative_positions = {.buckets = 8}}>;
    static type module{};
    const state::dict d = state::of(module);
    EXPECT_EQ(d.at("relative_attention_bias.weight").extents, (std::vector<std::size_t>{8, 3}));
    EXPECT_EQ(d.at("out_proj.weight").extents, (std::vector<std::size_t>{40, 24}));
    static_assert(nn::parameter_count<type> == 3 * (24 * 24 + 24) + 24 * 40 + 40 + 8 * 3);
    // Options that are off take no memory.
    static_assert(sizeof(nn::multihead_attention<{.embed = 24, .heads = 3, .bias = false}>) ==
                  sizeof(float) * 4 * 24 * 24);
}

}  // namespace
