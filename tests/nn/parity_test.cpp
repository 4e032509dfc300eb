// SPDX-License-Identifier: BSL-1.0
// linear, layer_norm and embedding against PyTorch's outputs.
#include <tests/nn/parity.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/layers/embedding.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/nn/layers/norm.hpp>

using namespace ashlar;
using parity::fixture;

TEST(parity, linear) {
    const fixture file("linear");
    nn::linear<{.in = 4, .out = 7}> w4{};
    file.expect(eval(file.load(w4, "w4")(file.array<float, 5, 4>("w4.in.x"))), "w4.out.y");
    nn::linear<{.in = 33, .out = 17, .bias = false}> w33{};
    file.expect(eval(file.load(w33, "w33")(file.array<float, 3, 6, 33>("w33.in.x"))), "w33.out.y");
    nn::linear<{.in = 96, .out = 5}> w96{};
    file.expect(eval(file.load(w96, "w96")(file.array<float, 1, 96>("w96.in.x"))), "w96.out.y");
    nn::linear<{.in = 20, .out = 30}> vector{};
    file.expect(eval(file.load(vector, "vector")(file.array<float, 20>("vector.in.x"))), "vector.out.y");
}

TEST(parity, layer_norm) {
    const fixture file("layer_norm");
    nn::layer_norm<{.size = 4}> w4{};
    file.expect(eval(file.load(w4, "w4")(file.array<float, 5, 4>("w4.in.x"))), "w4.out.y");
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

TEST(parity, a_case_is_loaded_exactly) {
    const fixture file("linear");
    nn::linear<{.in = 4, .out = 7, .bias = false}> without_bias{};
    io::archive weights;
    ASSERT_TRUE(weights.open(ASHLAR_TEST_DIR "/nn/fixtures/linear.safetensors").ok());
    EXPECT_EQ(io::load(without_bias, weights, {}, {.prefix = "w4.state."}).error, io::error::unexpected);
    EXPECT_EQ(io::load(without_bias, weights, {}, {.prefix = "w33.state."}).error, io::error::wrong_shape);
}
