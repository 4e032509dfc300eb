// SPDX-License-Identifier: BSL-1.0
// Parameter counts, which are PyTorch's. Compiling is passing.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/transformers/decoder_layer.hpp>
#include <ashlar/nn/transformers/encoder.hpp>

namespace {

using namespace ashlar;
using nn::parameter_bytes;

static_assert(parameter_count<nn::linear<{.in = 64, .out = 10}>> == 650 &&
              nn::parameter_count<nn::linear<{.in = 64, .out = 10}>> == 650);
static_assert(parameter_bytes<nn::linear<{.in = 64, .out = 10}, double>> == 650 * 8);
static_assert(parameter_count<nn::layer_norm<{.size = 64}>> == 128 &&
              parameter_count<nn::rms_norm<{.size = 64}>> == 64);
static_assert(parameter_count<nn::activation_layer<nn::activation::relu>> == 0);
static_assert(parameter_count<nn::feed_forward<{.embed = 64, .hidden = 172, .gated = true, .bias = false}>> ==
              3 * 64 * 172);
static_assert(parameter_count<nn::multihead_attention<{.embed = 48, .heads = 8, .kdim = 10, .vdim = 20}>> ==
              48 * (48 + 10 + 20) + 3 * 48 + 48 * 48 + 48);
static_assert(parameter_count<nn::multihead_attention<{.embed = 64, .heads = 8, .kv_heads = 4, .bias = false}>> ==
              2 * 64 * 64 + 2 * 64 * 32);

// An encoder layer of width 4, one head, 16 hidden.
static_assert(parameter_count<nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16}>> == 244);
static_assert(parameter_count<nn::encoder<{.layer = {.embed = 384, .heads = 12}, .layers = 6, .final_norm = true}>> ==
              6 * 1'774'464 + 768);
static_assert(parameter_count<nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16, .attention_bias = false}>> ==
              244 - 16);
static_assert(parameter_count<nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16, .feed_forward_bias = false}>> ==
              244 - 20);
static_assert(parameter_count<nn::decoder_layer<{.embed = 4, .heads = 1, .hidden = 16, .norm_bias = false}>> ==
              parameter_count<nn::decoder_layer<{.embed = 4, .heads = 1, .hidden = 16}>> - 12);
static_assert(parameter_count<nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16, .bias = false}>> ==
              4 * 16 + 2 * 4 * 16 + 2 * 4);
static_assert(parameter_bytes<nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16}>> == 4 * 244);

TEST(counts, are_those_of_the_arrays) {
    using model = nn::encoder<{.layer = {.embed = 12, .heads = 3, .hidden = 20}, .layers = 3, .final_norm = true}>;
    static const model m{};
    std::size_t elements = 0, bytes = 0;
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        elements += p.size();
        bytes += p.size() * p.element_bytes;
        const auto at = static_cast<const std::byte*>(p.data) - reinterpret_cast<const std::byte*>(&m);
        EXPECT_GE(at, 0);
        EXPECT_LE(static_cast<std::size_t>(at) + p.size() * p.element_bytes, sizeof m);
    });
    EXPECT_EQ(elements, parameter_count<model>);
    EXPECT_EQ(bytes, parameter_bytes<model>);
}

}  // namespace
