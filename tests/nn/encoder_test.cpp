// SPDX-License-Identifier: BSL-1.0
// encoder: layers one after the other, in memory of the caller's or on the stack, into any destination.
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
reference::array expected(const Encoder& e, reference::array x, const state::keeps& kept = state::keeps_all) {
    const auto d = state::of(e);
    for (std::size_t i = 0; i < Encoder::layer_count; ++i)
        x = state::encoder_layer(d, "layers." + std::to_string(i) + ".", shape, x, kept);
    return d.contains("norm.weight") ? state::layer_norm(d, "norm", x) : x;
}

// Members are initialised by name: stacks are aggregates without a base.
constexpr stack<1, true> named{.layers = {}, .norm = {.weight = {1, 2, 3, 4, 5, 6, 7, 8}, .bias = {}}};
static_assert(named.norm.weight(7) == 8);

template <class Encoder>
const Encoder& random_encoder() {
    static Encoder e{};
    state::randomise(e);
    return e;
}

constexpr double tolerance = 1e-5;

template <class Encoder>
void check_encoder() {
    const Encoder& e = random_encoder<Encoder>();
    auto x = support::random_numbers(2).normal<float, 9, 8>();
    const auto y = expected(e, of(x));
    support::check(e(x), y, tolerance);
    reference::expect_near(eval(e(x)), y, tolerance);
    // The destination may be the input, and may have gaps.
    tensor<float, 9, 10> wide{};
    evaluate(slice<1, 1, 9>(wide), e(x));
    reference::expect_near(slice<1, 1, 9>(wide), y, tolerance);
    EXPECT_TRUE(wide(3, 0) == 0 && wide(3, 9) == 0);
    x = e(x);
    reference::expect_near(x, y, tolerance);
}

TEST(encoder, one_layer) { check_encoder<stack<1, false>>(); }
TEST(encoder, three_layers_and_a_norm) { check_encoder<stack<3, true>>(); }

TEST(encoder, inputs_that_are_computed) {
    const auto& e = random_encoder<stack<2, false>>();
    const auto x = support::random_numbers(3).normal<float, 9, 8>();
    const auto twice = reference::add(of(x), of(x));
    support::check(e(x + x, causal), expected(e, twice, state::keeps_causal), tolerance);
    const auto across = support::random_numbers(4).normal<float, 8, 9>();
    support::check(e(transpose(across)), expected(e, reference::transpose(of(across))), tolerance);
}

// With an even number of steps the input is copied to the destination first, in place.
TEST(encoder, inputs_that_overlap) {
    const auto& e = random_encoder<stack<2, false>>();
    const auto x = support::random_numbers(6).normal<float, 8, 8>();
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

TEST(encoder, as_an_operand) {
    const auto& e = random_encoder<stack<2, false>>();
    const auto x = support::random_numbers(5).normal<float, 9, 8>();
    support::check(mean<0>(e(x)), reference::reduce(expected(e, of(x)), 0, false, reference::mean), tolerance);
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

}  // namespace
