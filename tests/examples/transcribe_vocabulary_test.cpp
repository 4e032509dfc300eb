// SPDX-License-Identifier: BSL-1.0
// Tokens to text in the transcription example, by files of both kinds, whole and cut.
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <examples/transcribe/vocabulary.hpp>
#include <gtest/gtest.h>

namespace {

using transcribe::vocabulary;

std::string text_of(const vocabulary& v, std::initializer_list<int> tokens) {
    std::string text;
    for (const int t : tokens) v.append(text, t);
    return text;
}

constexpr std::string_view json = R"({"added_tokens": [{"id": 0, "content": "<unk>", "special": true}], "model": {
    "type": "BPE", "unk_token": "<unk>", "vocab": { "<unk>": 0,"<s>":1, "</s>" : 2, "<0x41>": 3, "\u2581he":4, "l\"\\o": 6,
    "\ud83d\ude00": 5, "▁": 7, "<": 8, "<0xe9>": 9}, "merges": []}})";

TEST(vocabulary, of_a_tokenizer) {
    vocabulary v;
    ASSERT_TRUE(v.parse(json));
    EXPECT_EQ(v.size(), 10u);
    EXPECT_EQ(text_of(v, {1, 4, 6, 7, 8, 3, 5, 2}), " hel\"\\o <A\xf0\x9f\x98\x80");
    EXPECT_EQ(text_of(v, {9}), "\xe9");
    EXPECT_EQ(text_of(v, {-1, 10, 1 << 30}), "");
}

TEST(vocabulary, of_lines) {
    vocabulary v;
    ASSERT_TRUE(v.parse("<s>\n\xe2\x96\x81one\r\n two\xe2\x96\x81\xe2\x96\x81\n\nlast"));
    EXPECT_EQ(v.size(), 5u);
    EXPECT_EQ(text_of(v, {0, 1, 2, 3, 4}), " one two  last");
}

TEST(vocabulary, files_that_are_none) {
    vocabulary v;
    const std::size_t end = json.find(", \"merges\"");
    for (std::size_t n = 0; n < end; ++n) EXPECT_FALSE(v.parse(json.substr(0, n)) && n != 0) << n;
    EXPECT_FALSE(v.parse(R"({"vocab": {"a": 1048576}})"));
    EXPECT_FALSE(v.parse(R"({"vocab": {"\ud83d": 1}})"));
    EXPECT_FALSE(v.parse(R"({"vocab": {"\u12g4": 1}})"));
    EXPECT_FALSE(v.parse(R"({"vocab": ["a", "b"]})"));
    EXPECT_FALSE(v.load("tests/no such file"));
    EXPECT_EQ(v.size(), 0u);
}

}  // namespace
