// SPDX-License-Identifier: BSL-1.0
// linear, layer_norm, embedding and multihead_attention with its weights against PyTorch's outputs.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/nn/layers/multihead_attention.hpp>
#include <ashlar/nn/layers/norm.hpp>

using namespace ashlar;
using parity::fixture;

TEST(parity, linear) {
    const fixture file("linear");
    nn::linear<{.in = 4, .out = 7}> w4{};
    file.expect(eval(file.load(w4, "w4")(file.array<float, 5, 4>("w4.in.x"))), "w4.out.y");
    nn::linear<{.in = 33, .out = 17, .bias = false}> w33{};
    file.expect(eval(file.load(w33, "w33")(file.array<float, 3, 6, 33>("w33.in.x"))), "w33.out.y");
    nn::linear<{.in = 20, .out = 30}> vector{};
    file.expect(eval(file.load(vector, "vector")(file.array<float, 20>("vector.in.x"))), "vector.out.y");
}

TEST(parity, layer_norm) {
    const fixture file("layer_norm");
    nn::layer_norm<{.size = 31}> w31{};
    file.expect(eval(file.load(w31, "w31")(file.array<float, 2, 3, 31>("w31.in.x"))), "w31.out.y");
    nn::layer_norm<{.size = 96, .eps = 1e-3}> w96{};
    file.expect(eval(file.load(w96, "w96")(file.array<float, 7, 96>("w96.in.x"))), "w96.out.y");
}

TEST(parity, embedding) {
    const fixture file("embedding");
    nn::embedding<{.entries = 20, .size = 12}> e12{};
    file.expect(eval(file.load(e12, "e12")(file.array<int, 2, 7>("e12.in.tokens"))), "e12.out.y");
}

TEST(parity, attention_of_one_narrow_head) {
    const fixture file("multihead_attention");
    static nn::multihead_attention<{.embed = 4, .heads = 1}> m{};
    file.load(m, "e4h1");
    const auto x = file.array<float, 10, 4>("e4h1.in.x");
    file.expect(eval(m(x)), "e4h1.out.y");
    file.expect(eval(m.weights(x, x)), "e4h1.out.heads");
}

TEST(parity, attention_with_additive_mask_and_batch) {
    const fixture file("multihead_attention");
    static nn::multihead_attention<{.embed = 12, .heads = 3}> m{};
    file.load(m, "e12h3_additive");
    const auto x = file.array<float, 2, 9, 12>("e12h3_additive.in.x");
    const auto mask = file.array<float, 9, 9>("e12h3_additive.in.mask");
    file.expect(eval(m(x, bias(mask))), "e12h3_additive.out.y");
    file.expect(eval(m.average_weights(x, x, bias(mask))), "e12h3_additive.out.average");
}

TEST(parity, a_case_is_loaded_exactly) {
    const fixture file("linear");
    nn::linear<{.in = 4, .out = 7, .bias = false}> without_bias{};
    io::archive weights;
    ASSERT_TRUE(weights.open(ASHLAR_TEST_DIR "/nn/fixtures/linear.safetensors").ok());
    EXPECT_EQ(io::load(without_bias, weights, {}, {.prefix = "w4.state."}).error, io::error::unexpected);
    EXPECT_EQ(io::load(without_bias, weights, {}, {.prefix = "w33.state."}).error, io::error::wrong_shape);
}
