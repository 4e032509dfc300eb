// SPDX-License-Identifier: BSL-1.0
// The table of a module: its rows, and that they say what the constants say.
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>
#include <ashlar/nn/inspect/summary.hpp>

namespace {

using namespace ashlar;

using layer = nn::encoder_layer<{.embed = 4, .heads = 1, .hidden = 16}>;
using encoder = nn::encoder<{.layer = {.embed = 4, .heads = 1, .hidden = 16}, .layers = 4, .final_norm = true}>;
using stack = nn::llama_decoder<{.block = {.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}, .layers = 5}>;

using words = std::vector<std::string>;

words lines(const char* text) {
    words result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

/// The words of the row of a part; shapes are one word.
words row(const words& table, const std::string& part) {
    for (std::string line : table) {
        line.erase(0, line.find_first_not_of(' '));
        if (!line.starts_with(part)) continue;
        line.erase(0, part.size());
        for (std::size_t at; (at = line.find(", ")) != line.npos;) line.erase(at + 1, 1);
        std::istringstream stream(line);
        return {std::istream_iterator<std::string>(stream), {}};
    }
    return {};
}

TEST(summary, of_one_row) {
    constexpr const auto& text = nn::summary<layer>();
    static_assert(text.size() > 0 && text.contains("244 parameters in 976 bytes"));
    const auto table = lines(text.c_str());
    for (const std::string& line : table) EXPECT_LE(line.size(), 100u);
    EXPECT_EQ(
        row(table, "encoder_layer"),
        (words{
            "[1,4]", "244",
            std::to_string(flops<decltype(std::declval<const layer&>()(std::declval<const tensor<float, 1, 4>&>()))>),
            std::to_string(
                workspace_bytes<decltype(std::declval<const layer&>()(std::declval<const tensor<float, 1, 4>&>()))>)}));
    EXPECT_EQ(row(table, "self_attn: multihead_attention")[1], "80");
    EXPECT_EQ(row(table, "linear1: linear"), (words{"[1,16]", "80", "144", "-"}));
    EXPECT_EQ(row(table, "linear2: linear"), (words{"[1,4]", "68", "132", "-"}));
    EXPECT_EQ(row(table, "norm1: layer_norm")[1], "8");
}

TEST(summary, of_a_stack) {
    const auto table = lines(nn::summary<encoder, axis<"seq", 10>{}, axis<"embed", 4>{}>().c_str());
    EXPECT_EQ(row(table, "layers: 4 x encoder_layer")[0], "[10,4]");
    EXPECT_EQ(row(table, "layers: 4 x encoder_layer")[1], "976");
    EXPECT_EQ(row(table, "encoder ")[1], "984");
    EXPECT_NE(row(table, "norm: layer_norm")[3], "-");
    EXPECT_EQ(row(table, "query: linear")[3], "-");
    const auto blocks = lines(nn::summary<stack, 1, 64>().c_str());
    EXPECT_EQ(row(blocks, "llama_decoder")[1], "227,264");
    EXPECT_EQ(row(blocks, "mlp: feed_forward")[1], "33,024");
    EXPECT_EQ(row(blocks, "key: linear")[0], "[1,32]");
}

TEST(summary, other_modules) {
    EXPECT_EQ(row(lines(nn::summary<nn::linear<{.in = 64, .out = 10}, double>, 5, 64>().c_str()), "linear"),
              (words{"[5,10]", "650", "6,450", "0"}));
    EXPECT_EQ(
        row(lines(nn::summary<nn::multihead_attention<{.embed = 8, .heads = 2, .kdim = 3, .vdim = 5}>, 7, 8>().c_str()),
            "value: linear")[1],
        "48");
    EXPECT_EQ(row(lines(nn::summary<nn::decoder<{.layer = {.embed = 8, .heads = 2}, .layers = 2}>>().c_str()),
                  "layers: 2 x decoder_layer")[0],
              "[1,8]");
}

struct classifier {
    encoder body;
    nn::linear<{.in = 4, .out = 3}> head;

    template <class X>
    constexpr auto operator()(const X& x) const {
        return head(mean<0>(body(x)));
    }
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("body", self.body);
        visit("head", self.head);
    }
};

TEST(summary, of_a_model_of_ones_own) {
    const auto table = lines(nn::summary<classifier>().c_str());
    EXPECT_EQ(row(table, "classifier"), (words{"-", "999", "-", "-"}));
    EXPECT_EQ(row(table, "head: linear"), (words{"-", "15", "-", "-"}));
    EXPECT_EQ(row(table, "layers: 4 x encoder_layer")[1], "976");
    EXPECT_EQ(row(lines(nn::summary<classifier, tensor<float, 10, 4>>().c_str()), "classifier")[0], "[3]");
}

}  // namespace
