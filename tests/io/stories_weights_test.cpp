// SPDX-License-Identifier: BSL-1.0
// A real weight file, where ASHLAR_MODELS says that there is one: names of its own, by a map; there and back.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/io.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar {
namespace {

struct block {
    tensor<float, 64> attention_norm, ffn_norm;
    tensor<float, 64, 64> query, out;
    tensor<float, 64, 32> key, value;
    tensor<float, 64, 172> gate, up;
    tensor<float, 172, 64> down;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("norm1.weight", self.attention_norm);
        visit("self_attn.in_proj_weight",
              nn::stacked(nn::transposed(self.query), nn::transposed(self.key), nn::transposed(self.value)));
        visit("self_attn.out_proj.weight", nn::transposed(self.out));
        visit("norm2.weight", self.ffn_norm);
        visit("gate_proj.weight", nn::transposed(self.gate));
        visit("up_proj.weight", nn::transposed(self.up));
        visit("down_proj.weight", nn::transposed(self.down));
    }
};

struct decoder {
    tensor<float, 512, 64> embedding;
    std::array<block, 5> layers;
    tensor<float, 64> norm;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding.weight", self.embedding);
        visit("layers", self.layers);
        visit("norm.weight", self.norm);
    }
};

constexpr io::name_rule names[]{
    {"embedding.weight", "tok_embeddings"},
    {"layers.*.norm1.weight", "layers.*.attention_norm"},
    {"layers.*.norm2.weight", "layers.*.ffn_norm"},
    {"layers.*.self_attn.in_proj_weight[0]", "layers.*.wq"},
    {"layers.*.self_attn.in_proj_weight[1]", "layers.*.wk"},
    {"layers.*.self_attn.in_proj_weight[2]", "layers.*.wv"},
    {"layers.*.self_attn.out_proj.weight", "layers.*.wo"},
    {"layers.*.gate_proj.weight", "layers.*.w1"},
    {"layers.*.down_proj.weight", "layers.*.w2"},
    {"layers.*.up_proj.weight", "layers.*.w3"},
    {"norm.weight", "norm"},
};

TEST(stories_weights, there_and_back) {
    const char* const models = std::getenv("ASHLAR_MODELS");
    if (models == nullptr) GTEST_SKIP() << "ASHLAR_MODELS is not set";
    const std::string path = std::string(models) + "/stories260k/stories260K.safetensors";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";

    static decoder model{};
    EXPECT_STREQ(
        io::load(model, path, names).message().c_str(),
        "freqs_cos: in the file, but not in the model; load with .ignore_unexpected = true to leave such arrays out");
    const io::result r = io::load(model, path, names, {.ignore_unexpected = true});
    ASSERT_TRUE(r) << r.message().c_str();
    std::size_t parameters = 0;
    nn::for_each_parameter(model, [&](const nn::parameter& p) { parameters += p.size(); });
    EXPECT_EQ(parameters, 260'032u);

    // Every array of the saved file has the bytes of the first one.
    std::vector<char> file(static_cast<std::size_t>(io::save(model, std::span<char>(), names).position));
    ASSERT_TRUE(io::save(model, file, names));
    io::archive first, again;
    ASSERT_TRUE(first.open(path));
    ASSERT_TRUE(again.open(file));
    EXPECT_EQ(again.size() + 2, first.size());
    for (const io::stored_array& a : again) {
        const io::stored_array* const b = first.find(a.name);
        ASSERT_NE(b, nullptr) << a.name;
        EXPECT_EQ(a.shape, b->shape) << a.name;
        EXPECT_TRUE(std::equal(a.data.begin(), a.data.end(), b->data.begin(), b->data.end())) << a.name;
    }
    std::vector<std::byte> image(io::image_bytes<decoder>);
    ASSERT_TRUE(io::save_image(model, image));
    static decoder copy{};
    ASSERT_TRUE(io::load_image(copy, image));
    EXPECT_EQ(copy.layers[4].down(171, 63), model.layers[4].down(171, 63));
}

}  // namespace
}  // namespace ashlar
