// SPDX-License-Identifier: BSL-1.0
// encoder_layer and encoder: the plan of a layer, and layers one after the other, into any destination.
#include <tests/nn/state.hpp>

#include <ashlar/nn/transformers/encoder.hpp>

namespace {

using namespace ashlar;
using nn::activation;
using reference::of;

template <std::size_t Layers, bool Norm>
using stack = nn::encoder<{.layer = {.embed = 8, .heads = 2, .hidden = 20, .activation = activation::gelu},
                           .layers = Layers,
                           .final_norm = Norm}>;

constexpr state::layer_shape shape{{8, 2, 2}, activation::gelu, false};

template <class Encoder>
reference::array expected(const Encoder& e, reference::array x) {
    const auto d = state::of(e);
    for (std::size_t i = 0; i < Encoder::layer_count; ++i)
        x = state::encoder_layer(d, "layers." + std::to_string(i) + ".", shape, x);
    return d.contains("norm.weight") ? state::layer_norm(d, "norm", x) : x;
}

// Members are initialised by name: stacks are aggregates without a base.
constexpr stack<1, true> named{.layers = {}, .norm = {.weight = {1, 2, 3, 4, 5, 6, 7, 8}, .bias = {}}};
static_assert(named.norm.weight(7) == 8);

template <std::size_t Layers, bool Norm>
const stack<Layers, Norm>& random_encoder() {
    static stack<Layers, Norm> e{};
    state::randomise(e);
    return e;
}

constexpr double tolerance = 1e-5;
// All of one shape, so that the layers are compiled once.
const auto x = support::random_numbers(2).normal<float, 8, 8>();

TEST(encoder, one_layer) {
    const auto& e = random_encoder<1, false>();
    support::check(e(x), expected(e, of(x)), tolerance);
}

// The destination may be the input, and may have gaps.
TEST(encoder, three_layers_and_a_norm) {
    const auto& e = random_encoder<3, true>();
    const auto y = expected(e, of(x));
    support::check(e(x), y, tolerance);
    tensor<float, 8, 10> wide{};
    evaluate(slice<1, 1, 9>(wide), e(x));
    reference::expect_near(slice<1, 1, 9>(wide), y, tolerance);
    EXPECT_TRUE(wide(3, 0) == 0 && wide(3, 9) == 0);
    auto own = x;
    own = e(own);
    reference::expect_near(own, y, tolerance);
}

TEST(encoder, computed_input_and_as_an_operand) {
    const auto& e = random_encoder<2, false>();
    const auto y = expected(e, reference::add(of(x), of(x)));
    support::check(mean<0>(e(x + x)), reference::reduce(y, 0, false, reference::mean), tolerance);
}

// With an even number of steps the input is copied to the destination first, in place.
TEST(encoder, inputs_that_overlap) {
    const auto& e = random_encoder<2, false>();
    const auto turned = expected(e, reference::transpose(of(x)));
    auto y = x;
    y = e(transpose(y));
    reference::expect_near(y, turned, tolerance);
    y = x;
    y = e(transpose(y) * 1.0f);
    reference::expect_near(y, turned, tolerance);
    y = x;
    transpose(y) = e(y);
    reference::expect_near(transpose(y), expected(e, of(x)), tolerance);
}

// Constants: scratch is that of one layer and one more matrix, for any number of layers.
template <class Encoder>
using call = decltype(std::declval<const Encoder&>()(std::declval<const tensor<float, 64, 8>&>()));
using layer_call =
    decltype(std::declval<const decltype(stack<1, false>::layers)&>()[0](std::declval<const tensor<float, 64, 8>&>()));
static_assert(workspace_bytes<call<stack<3, false>>> == workspace_bytes<layer_call> + 64 * 8 * sizeof(float));
static_assert(workspace_bytes<call<stack<12, false>>> == workspace_bytes<call<stack<1, false>>>);
static_assert(flops<call<stack<3, false>>> == 3 * flops<layer_call>);
static_assert(
    flops<call<stack<3, true>>> ==
    3 * flops<layer_call> +
        flops<decltype(layer_norm(std::declval<const tensor<float, 64, 8>&>(), std::declval<const tensor<float, 8>&>(),
                                  std::declval<const tensor<float, 8>&>()))>);

TEST(encoder_layer, names_of_files) {
    const nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16}> m{};
    std::vector<std::string> names;
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        if (p.is_first_piece()) names.emplace_back(p.name);
    });
    EXPECT_EQ(names, (std::vector<std::string>{"self_attn.in_proj_weight", "self_attn.in_proj_bias",
                                               "self_attn.out_proj.weight", "self_attn.out_proj.bias", "linear1.weight",
                                               "linear1.bias", "linear2.weight", "linear2.bias", "norm1.weight",
                                               "norm1.bias", "norm2.weight", "norm2.bias"}));
}

// With rows that fill no tile: parity_layers_test.
TEST(encoder_layer, norm_first_and_causal) {
    static nn::encoder_layer<{
        .embed = 16, .heads = 2, .hidden = 16, .activation = activation::gelu, .norm_first = true}>
        m{};
    state::randomise(m);
    const auto rows = support::random_numbers(3).normal<float, 16, 16>();
    const state::layer_shape first{{16, 2, 2}, activation::gelu, true};
    support::check(m(rows, causal), state::encoder_layer(state::of(m), "", first, of(rows), state::keeps_causal), 4e-6);
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
