// SPDX-License-Identifier: BSL-1.0
// The name maps of well-known models on modules of nn: the names and shapes that such files have, there and back.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "saved.hpp"

namespace ashlar {
namespace {

/// Numbers every element of a model.
template <class M>
void number(M& m) {
    float next = 1;
    nn::for_each_parameter(m, [&](const nn::parameter& p) {
        for (std::size_t i = 0; i < p.size(); ++i) static_cast<float*>(p.data)[i] = next++;
    });
}

/// Saves by a map, loads by it, and compares the bits; then the shapes of the file's arrays, all of them.
template <class M>
void check(io::name_map names, const std::vector<std::string>& expected, const io::load_options& options = {}) {
    static M model{}, again{};
    number(model);
    const std::vector<char> file = test::saved(model, names, {options.prefix});
    ASSERT_EQ(test::message(io::load(again, file, names, options)), "no error");
    EXPECT_EQ(test::image_of(model), test::image_of(again));

    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    std::vector<std::string> found;
    for (const io::stored_array& a : archive) {
        std::string text(a.name);
        for (std::size_t i = 0; i < a.shape.rank; ++i)
            text += (i == 0 ? ' ' : 'x') + std::to_string(a.shape.extents[i]);
        found.push_back(text);
    }
    EXPECT_EQ(found, expected);
}

struct bert_embeddings {
    nn::embedding<{.entries = 7, .size = 4}> words, positions;
    nn::layer_norm<{.size = 4}> norm;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("word_embeddings", self.words);
        visit("position_embeddings", self.positions);
        visit("LayerNorm", self.norm);
    }
};

struct bert {
    bert_embeddings embeddings;
    nn::encoder<{.layer = {.embed = 4, .heads = 2, .hidden = 6}, .layers = 2}> encoder;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embeddings", self.embeddings);
        visit("encoder", self.encoder);
    }
};

TEST(model_names, bert) {
    std::vector<std::string> expected{"bert.embeddings.LayerNorm.bias 4", "bert.embeddings.LayerNorm.weight 4",
                                      "bert.embeddings.position_embeddings.weight 7x4",
                                      "bert.embeddings.word_embeddings.weight 7x4"};
    for (const std::string layer : {"bert.encoder.layer.0.", "bert.encoder.layer.1."})
        for (const char* name :
             {"attention.output.LayerNorm.bias 4", "attention.output.LayerNorm.weight 4",
              "attention.output.dense.bias 4", "attention.output.dense.weight 4x4", "attention.self.key.bias 4",
              "attention.self.key.weight 4x4", "attention.self.query.bias 4", "attention.self.query.weight 4x4",
              "attention.self.value.bias 4", "attention.self.value.weight 4x4", "intermediate.dense.bias 6",
              "intermediate.dense.weight 6x4", "output.LayerNorm.bias 4", "output.LayerNorm.weight 4",
              "output.dense.bias 4", "output.dense.weight 4x6"})
            expected.push_back(layer + name);
    check<bert>(io::bert_names, expected, {.prefix = "bert."});
}

struct llama_body {
    nn::embedding<{.entries = 7, .size = 8}> embed_tokens;
    nn::llama_decoder<{.block = {.embed = 8, .heads = 4, .kv_heads = 2, .hidden = 12}, .layers = 2}> stack;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embed_tokens", self.embed_tokens);
        visit("", self.stack);
    }
};
struct llama : llama_body {
    nn::linear<{.in = 8, .out = 7, .bias = false}> lm_head;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        llama_body::members(self, visit);
        visit("lm_head", self.lm_head);
    }
};

TEST(model_names, llama) {
    std::vector<std::string> expected{"lm_head.weight 7x8", "model.embed_tokens.weight 7x8"};
    for (const std::string layer : {"model.layers.0.", "model.layers.1."})
        for (const char* name :
             {"input_layernorm.weight 8", "mlp.down_proj.weight 8x12", "mlp.gate_proj.weight 12x8",
              "mlp.up_proj.weight 12x8", "post_attention_layernorm.weight 8", "self_attn.k_proj.weight 4x8",
              "self_attn.o_proj.weight 8x8", "self_attn.q_proj.weight 8x8", "self_attn.v_proj.weight 4x8"})
            expected.push_back(layer + name);
    expected.push_back("model.norm.weight 8");
    check<llama>(io::llama_names, expected);

    // A file without a head: it is tied to the embedding.
    static llama_body body{};
    static llama again{};
    number(body);
    ASSERT_EQ(test::message(io::load(again, test::saved(body, io::llama_names), io::llama_names)), "no error");
    for (std::size_t entry = 0; entry < 7; ++entry)
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_EQ(again.embed_tokens.weight(entry, i), body.embed_tokens.weight(entry, i));
            EXPECT_EQ(again.lm_head.weight(i, entry), body.embed_tokens.weight(entry, i));
        }
}

struct gpt2 {
    nn::embedding<{.entries = 7, .size = 4}> embedding, positions;
    nn::encoder<{.layer = {.embed = 4, .heads = 2, .hidden = 6, .norm_first = true}, .layers = 1, .final_norm = true}>
        blocks;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding", self.embedding);
        visit("positions", self.positions);
        visit("", self.blocks);
    }
};

TEST(model_names, gpt2) {
    check<gpt2>(io::gpt2_names,
                {"h.0.attn.c_attn.bias 12", "h.0.attn.c_attn.weight 4x12", "h.0.attn.c_proj.bias 4",
                 "h.0.attn.c_proj.weight 4x4", "h.0.ln_1.bias 4", "h.0.ln_1.weight 4", "h.0.ln_2.bias 4",
                 "h.0.ln_2.weight 4", "h.0.mlp.c_fc.bias 6", "h.0.mlp.c_fc.weight 4x6", "h.0.mlp.c_proj.bias 4",
                 "h.0.mlp.c_proj.weight 6x4", "ln_f.bias 4", "ln_f.weight 4", "wpe.weight 7x4", "wte.weight 7x4"});
}

}  // namespace
}  // namespace ashlar
