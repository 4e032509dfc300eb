// SPDX-License-Identifier: BSL-1.0
// encoder_layer against loops over its state dict, and what its plan promises.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder_layer.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

template <nn::encoder_layer_options Options>
struct fixture {
    nn::encoder_layer<Options> module{};
    fixture() { state::randomise(module); }
    static constexpr state::layer_shape shape{
        {Options.embed, Options.heads, Options.heads}, Options.activation, Options.norm_first};
    reference::array expected(const reference::array& x, const state::keeps& kept = state::keeps_all) const {
        return state::encoder_layer(state::of(module), "", shape, x, kept);
    }
};

using small = fixture<nn::encoder_layer_options{.embed = 4, .heads = 1, .hidden = 16}>;
using first =
    fixture<nn::encoder_layer_options{.embed = 24, .heads = 3, .activation = activation::gelu, .norm_first = true}>;

TEST(encoder_layer, names_of_files) {
    const small f;
    std::vector<std::string> names;
    nn::for_each_parameter(f.module, [&](const nn::const_parameter& p) {
        if (p.is_first_piece()) names.emplace_back(p.name);
    });
    EXPECT_EQ(names, (std::vector<std::string>{"self_attn.in_proj_weight", "self_attn.in_proj_bias",
                                               "self_attn.out_proj.weight", "self_attn.out_proj.bias", "linear1.weight",
                                               "linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight",
                                               "norm1.bias", "norm2.weight", "norm2.bias"}));
}

TEST(encoder_layer, norm_last) {
    const small f;
    const auto x = support::random_numbers(2).normal<float, 10, 4>();
    support::check(f.module(x), f.expected(of(x)), 4e-6);
}

TEST(encoder_layer, norm_first_and_causal) {
    const first f;
    const auto x = support::random_numbers(3).normal<float, 37, 24>();
    support::check(f.module(x, causal), f.expected(of(x), state::keeps_causal), 4e-6);
}

// Keys and values by one step, and everything else in one loop over tiles of rows.
template <class Layer>
constexpr auto plan_of = plan<decltype(std::declval<const Layer&>()(std::declval<const tensor<float, 128, 24>&>()))>;
template <class Layer>
consteval bool is_one_loop() {
    const auto& p = plan_of<Layer>;
    return p.step_count == 2 && p.barrier_count == 2 && p.barrier_bytes == 2 * 128 * 24 * sizeof(float) &&
           p.steps[0].products == 2 && p.steps[1].products == 6 && p.steps[1].writes_result && p.steps[1].rows == 128;
}
static_assert(is_one_loop<nn::encoder_layer<{.embed = 24, .heads = 3}>>());
static_assert(is_one_loop<nn::encoder_layer<{.embed = 24, .heads = 3, .norm_first = true}>>());
static_assert(
    is_one_loop<nn::encoder_layer<{.embed = 24, .heads = 3, .activation = activation::gelu, .bias = false}>>());

}  // namespace
