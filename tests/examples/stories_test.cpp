// SPDX-License-Identifier: BSL-1.0
// The decoder of examples/stories: rows at once against token by token, and the trained model where ASHLAR_MODELS says
// where it is.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include <examples/stories/model.hpp>
#include <examples/stories/sampler.hpp>
#include <examples/stories/tokenizer.hpp>
#include <gtest/gtest.h>
#include <support/random.hpp>

namespace {

using namespace ashlar;

constexpr stories::model_options tiny{
    .vocabulary = 37, .context = 24, .embed = 24, .heads = 6, .kv_heads = 2, .hidden = 29, .layers = 2};

TEST(stories, tokens_one_by_one_and_at_once) {
    using model = stories::model<tiny>;
    const auto weights = std::make_unique<model>();
    support::random_numbers random(3);
    nn::for_each_parameter(*weights, [&](const nn::parameter& p) {
        const auto values = random.normal<float, 64>();
        for (std::size_t i = 0; i < p.size(); ++i)
            static_cast<float*>(p.data)[i] = (p.rank == 1 ? 1.0f : 0.0f) + 0.3f * values(i * 7 % 61 + i % 3);
    });
    tensor<int, 17> tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens(i) = static_cast<int>(i * 11 % 37);

    stories::session<model> at_once(*weights), stepwise(*weights);
    tensor<float, 17, 37> scores;
    at_once.read_all(tokens, scores);
    EXPECT_EQ(at_once.length(), 17u);
    float largest = 0;
    for (const float s : scores) largest = std::max(largest, std::abs(s));
    ASSERT_GT(largest, 0.1f);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& next = stepwise.next(tokens(i));
        for (std::size_t v = 0; v < 37; ++v) ASSERT_NEAR(next(v), scores(i, v), 1e-5f * largest) << i;
    }
    // What was said is forgotten, and said again.
    stepwise.clear();
    EXPECT_EQ(stepwise.length(), 0u);
    const auto& again = stepwise.next(tokens(0));
    for (std::size_t v = 0; v < 37; ++v) EXPECT_NEAR(again(v), scores(0, v), 1e-5f * largest);
}

TEST(stories, sampling) {
    tensor<float, 4> scores{0.0f, 3.0f, 2.0f, -9.0f};
    EXPECT_EQ(stories::sampler(0, 0.9f, 1)(scores), 1);
    stories::sampler a(1, 1, 5), b(1, 1, 5), narrow(1, 0.5f, 5);
    std::array<int, 4> drawn{};
    for (int i = 0; i < 1000; ++i) {
        const int token = a(scores);
        ASSERT_EQ(token, b(scores));
        ++drawn[static_cast<std::size_t>(token)];
        ASSERT_EQ(narrow(scores), 1);  // 0.7 alone
    }
    EXPECT_NEAR(drawn[1], 705, 60);
    EXPECT_NEAR(drawn[2], 259, 60);
    EXPECT_NEAR(drawn[0], 35, 25);
}

using model = stories::model<stories::stories260k>;

class trained : public testing::Test {
protected:
    void SetUp() override {
        const char* const models = std::getenv("ASHLAR_MODELS");
        if (models == nullptr) GTEST_SKIP() << "ASHLAR_MODELS does not say where the trained model is";
        folder = std::string(models) + "/stories260k/";
        const auto r = stories::load(*weights, folder + "stories260K.safetensors");
        ASSERT_TRUE(r) << r.message().c_str();
        ASSERT_TRUE(io::load_npy(tokens, folder + "input_tokens.npy"));
        ASSERT_TRUE(io::load_npy(expected, folder + "expected_logits.npy"));
    }

    std::string folder;
    std::unique_ptr<model> weights = std::make_unique<model>();
    std::unique_ptr<stories::session<model>> story = std::make_unique<stories::session<model>>(*weights);
    tensor<int, 200> tokens;
    tensor<float, 200, 512> expected;
};

TEST_F(trained, parameters) {
    // The table is stored once in the file and twice here: by rows, and packed.
    EXPECT_EQ(nn::parameter_count<model>, 260'032u + 512u * 64u);
}

TEST_F(trained, token_by_token) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto& scores = story->next(tokens(i));
        for (std::size_t v = 0; v < 512; ++v) ASSERT_NEAR(scores(v), expected(i, v), 1e-4f) << i << ' ' << v;
    }
}

TEST_F(trained, all_tokens_at_once) {
    const auto scores = std::make_unique<tensor<float, 200, 512>>();
    story->read_all(tokens, *scores);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(scores->data()[i], expected.data()[i], 1e-4f) << i;
}

/// Expects the story that takes the most likely token every time, or its first `count` characters.
template <class Session>
void expect_greedy_story(Session& story, const std::string& folder, std::size_t count = std::string::npos) {
    stories::tokenizer words;
    ASSERT_TRUE(words.load((folder + "tok512.bin").c_str(), model::vocabulary));
    stories::sampler greedy(0, 1, 1);
    std::string text;
    int token = stories::tokenizer::begin_of_text;
    for (std::size_t i = 0; i < 200; ++i) {
        const int next = greedy(story.next(token));
        if (next == stories::tokenizer::begin_of_text || next == stories::tokenizer::end_of_text) break;
        text += words.decode(token, next);
        token = next;
    }
    std::stringstream file;
    file << std::ifstream(folder + "greedy.txt").rdbuf();
    std::string story_told = file.str();
    while (!story_told.empty() && story_told.back() == '\n') story_told.pop_back();
    ASSERT_GE(story_told.size(), 400u);
    EXPECT_EQ(text.substr(0, story_told.size()).substr(0, count), story_told.substr(0, count));
}
TEST_F(trained, greedy_story) { expect_greedy_story(*story, folder); }

template <class Model>
void expect_greedy_story_of(const std::string& folder, std::size_t count = std::string::npos) {
    const auto narrow = std::make_unique<Model>();
    const auto r = stories::load(*narrow, folder + "stories260K.safetensors");
    ASSERT_TRUE(r) << r.message().c_str();
    const auto story = std::make_unique<stories::session<Model>>(*narrow);
    expect_greedy_story(*story, folder, count);
}
TEST_F(trained, greedy_story_of_products_in_bf16) {
    expect_greedy_story_of<stories::model<stories::stories260k, bf16>>(folder);
}

TEST_F(trained, greedy_story_over_caches_of_bf16) {
    expect_greedy_story_of<stories::model<stories::stories260k, float, float, bf16>>(folder);
}
// Of 464 characters the first 304 are the same; then two tokens are about as likely.
TEST_F(trained, greedy_story_over_caches_in_8_bits) {
    expect_greedy_story_of<stories::model<stories::stories260k, float, float, std::int8_t>>(folder, 250);
}

TEST_F(trained, prompts) {
    stories::tokenizer words;
    ASSERT_TRUE(words.load((folder + "tok512.bin").c_str(), model::vocabulary));
    for (const char* prompt : {"Once upon a time", "Lily's dog (\xC3\xA9)", "?!"}) {
        const auto ids = words.encode(prompt);
        std::string text;
        for (std::size_t i = 1; i < ids.size(); ++i) text += words.decode(ids[i - 1], ids[i]);
        EXPECT_EQ(text, prompt);
    }
}

}  // namespace
