// SPDX-License-Identifier: BSL-1.0
// Name maps: patterns, what stars match, pieces, and the tables for well-known models.
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/io/model/names.hpp>
#include <ashlar/io/model/names_of_models.hpp>

namespace ashlar {
namespace {

using config = current_config;

/// The name that a rule gives, or "-".
std::string renamed(std::string_view pattern, std::string_view file, std::string_view name) {
    detail::star_matches stars;
    if (!detail::match_name<config>(pattern, name, stars)) return "-";
    detail::file_name out;
    detail::fill_name<config>(file, stars, out);
    return std::string(out.view());
}

/// The names that a table offers, in order, each behind a space.
std::string offered(io::name_map names, std::string_view name) {
    std::string all;
    for (const io::name_rule& rule : names)
        if (const std::string r = renamed(rule.model, rule.file, name); r != "-")
            all += ' ' + r + (rule.transposed ? "^T" : "");
    return all;
}

static_assert([] {
    detail::star_matches stars;
    return detail::match_name<config>("layers.*.weight", "layers.12.weight", stars) && stars.text[0] == "12";
}());

TEST(names, patterns) {
    EXPECT_EQ(renamed("weight", "w", "weight"), "w");
    EXPECT_EQ(renamed("weight", "w", "weights"), "-");
    EXPECT_EQ(renamed("a.*.b", "c.*.d", "a.12.b"), "c.12.d");
    EXPECT_EQ(renamed("a.*.b", "c", "a.1.2.b"), "-");  // a star stays within a segment
    EXPECT_EQ(renamed("a.*.b", "c", "a..b"), "-");     // and is not empty
    EXPECT_EQ(renamed("a.*", "*.z", "a.b"), "b.z");
    EXPECT_EQ(renamed("*.*", "*-*", "x.y"), "x-y");
    EXPECT_EQ(renamed("**", "model.**", "a.b.c"), "model.a.b.c");
    EXPECT_EQ(renamed("**a", "**z", "a"), "z");  // two stars may stand for nothing
    EXPECT_EQ(renamed("**layers.*.w", "h.*.w", "deep.in.layers.3.w"), "h.3.w");
    EXPECT_EQ(renamed("**layers.*.w", "h.*.**w", "deep.layers.3.w"), "h.3.deep.w");
    EXPECT_EQ(renamed("*a*", "*|*", "banana"), "ban|na");
    EXPECT_EQ(renamed("*a*", "*|*", "banan"), "ban|n");
    EXPECT_EQ(renamed("x[*]", "x.*", "x[2]"), "x.2");
    EXPECT_EQ(renamed("*", "*.*", "a"), "a.");                               // a star too many is empty
    EXPECT_EQ(renamed("*.*.*.*.*.*.*.*.*", "x", "1.2.3.4.5.6.7.8.9"), "-");  // more than 8 stars match nothing
}

TEST(names, pieces) {
    const auto piece = [](std::string_view name) {
        const detail::stacked_name s = detail::split_piece<config>(name);
        return s.is_piece ? std::string(s.name) + '|' + std::to_string(s.piece) : std::string(s.name);
    };
    EXPECT_EQ(piece("in_proj_weight[2]"), "in_proj_weight|2");
    EXPECT_EQ(piece("a[0][12]"), "a[0]|12");
    EXPECT_EQ(piece("a"), "a");
    EXPECT_EQ(piece("a[]"), "a[]");
    EXPECT_EQ(piece("a[x]"), "a[x]");
    EXPECT_EQ(piece("a[1"), "a[1");
    EXPECT_EQ(piece("a[12345678901234567890]"), "a[12345678901234567890]");
    EXPECT_EQ(piece(""), "");
    EXPECT_EQ(piece("]"), "]");
}

TEST(names, too_long) {
    const std::string segment(300, 'x');
    detail::star_matches stars;
    ASSERT_TRUE(detail::match_name<config>("*", segment, stars));
    detail::file_name out;
    detail::fill_name<config>("*.y", stars, out);
    EXPECT_FALSE(out.is_too_long);
    EXPECT_EQ(out.view(), segment + ".y");
    detail::fill_name<config>("*", stars, out);
    EXPECT_TRUE(out.is_too_long);
    EXPECT_EQ(out.view().size(), 511u);
}

/// Rows of a name in a model and what a table offers. All names of BERT, Llama and GPT-2: model_names_test.cpp.
using offers = std::initializer_list<std::pair<std::string_view, std::string_view>>;
void expect_offered(io::name_map names, offers rows) {
    for (const auto& [name, expected] : rows) EXPECT_EQ(offered(names, name), expected) << name;
}

TEST(names, well_known_models) {
    expect_offered(
        io::bert_names,
        {{"layers.0.norm1.weight",
          " encoder.layer.0.attention.output.LayerNorm.weight encoder.layer.0.attention.output.LayerNorm.gamma"},
         {"embeddings.LayerNorm.bias", " embeddings.LayerNorm.bias embeddings.LayerNorm.beta"},
         {"pooler.dense.weight", ""}});
    expect_offered(io::llama_names,
                   {{"layers.3.self_attn.q_proj.weight", " model.layers.3.self_attn.q_proj.weight"},
                    {"decoder.layers.3.self_attn.in_proj_weight[0]", " model.layers.3.self_attn.q_proj.weight"},
                    {"layers.3.feed_forward.gate_proj.weight", " model.layers.3.mlp.gate_proj.weight"},
                    {"model.layers.3.input_layernorm.weight", " model.layers.3.input_layernorm.weight"},
                    {"model.norm.weight", " model.norm.weight"},
                    {"lm_head.weight", " lm_head.weight model.embed_tokens.weight"}});
    expect_offered(io::gpt2_names, {{"layers.3.self_attn.in_proj_weight", " h.3.attn.c_attn.weight^T"},
                                    {"blocks.norm.bias", " ln_f.bias"}});
    expect_offered(io::distilbert_names,
                   {{"encoder.layers.3.self_attn.in_proj_weight[2]", " transformer.layer.3.attention.v_lin.weight"},
                    {"layers.3.linear1.bias", " transformer.layer.3.ffn.lin1.bias"},
                    {"layers.3.norm2.bias", " transformer.layer.3.output_layer_norm.bias"},
                    {"embeddings.word_embeddings.weight", " embeddings.word_embeddings.weight"}});
    expect_offered(io::vit_names, {{"layers.3.norm1.weight", " encoder.layer.3.layernorm_before.weight"},
                                   {"norm.bias", " layernorm.bias"},
                                   {"encoder.norm.weight", " layernorm.weight"},
                                   {"embeddings.cls_token", ""}});
    expect_offered(io::bart_names,
                   {{"encoder.layers.3.norm2.bias",
                     " model.encoder.layers.3.final_layer_norm.bias encoder.layers.3.final_layer_norm.bias"},
                    {"decoder.layers.3.multihead_attn.q_proj_bias",
                     " model.decoder.layers.3.encoder_attn.q_proj.bias decoder.layers.3.encoder_attn.q_proj.bias"},
                    {"decoder_embedding_norm.weight",
                     " model.decoder.layernorm_embedding.weight decoder.layernorm_embedding.weight"},
                    {"stem.conv2.bias", " model.encoder.conv2.bias encoder.conv2.bias"}});  // of Whisper
    expect_offered(
        io::moonshine_names,
        {{"conv3.weight", " model.encoder.conv3.weight"},
         {"groupnorm.bias", " model.encoder.groupnorm.bias"},
         {"encoder.layers.5.linear2.bias", " model.encoder.layers.5.mlp.fc2.bias"},
         {"decoder.layers.2.self_attn.q_proj.weight", " model.decoder.layers.2.self_attn.q_proj.weight"},
         {"decoder.layers.2.multihead_attn.out_proj.weight", " model.decoder.layers.2.encoder_attn.o_proj.weight"},
         {"decoder.layers.2.gate_proj.weight", " model.decoder.layers.2.mlp.fc1.weight[1]"},
         {"output.weight", " proj_out.weight model.decoder.embed_tokens.weight"}});
    expect_offered(io::t5_names,
                   {{"encoder.layers.3.linear1.weight", " encoder.block.3.layer.1.DenseReluDense.wi.weight"},
                    {"decoder.layers.3.norm3.weight", " decoder.block.3.layer.2.layer_norm.weight"},
                    {"decoder.norm.weight", " decoder.final_layer_norm.weight"},
                    {"lm_head.weight", " lm_head.weight shared.weight encoder.embed_tokens.weight"}});
}

/// How often a path segment's star occurs in a pattern.
std::size_t single_stars(std::string_view pattern) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < pattern.size(); ++i)
        if (pattern[i] == '*') {
            if (i + 1 < pattern.size() && pattern[i + 1] == '*')
                ++i;
            else
                ++count;
        }
    return count;
}

// Stars are put in in order, so a rule that drops the first of several would put it in the place of another.
TEST(names, tables_drop_no_star) {
    for (const io::name_map names :
         {io::name_map(io::bert_names), io::name_map(io::llama_names), io::name_map(io::gpt2_names),
          io::name_map(io::distilbert_names), io::name_map(io::vit_names), io::name_map(io::bart_names),
          io::name_map(io::t5_names), io::name_map(io::moonshine_names)})
        for (const io::name_rule& rule : names)
            if (single_stars(rule.file) != 0) {
                EXPECT_EQ(single_stars(rule.file), single_stars(rule.model)) << rule.model << " as " << rule.file;
            }
}

}  // namespace
}  // namespace ashlar
