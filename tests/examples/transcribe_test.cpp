// SPDX-License-Identifier: BSL-1.0
// The transcription example, in small: sounds of all lengths against the model's formulas in double, with weights that
// are loaded from a file by the names of Hugging Face's.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <examples/transcribe/transcriber.hpp>
#include <gtest/gtest.h>

#include "examples/moonshine_reference.hpp"
#include "io/file_builder.hpp"

namespace {

using namespace transcribe;
namespace reference = moonshine_reference;

inline constexpr speech_shape small{
    .embed = 32, .heads = 2, .hidden = 48, .layers = 2, .vocabulary = 97, .rotated = 14, .samples = 8999, .tokens = 12};
using small_model = model<small>;

/// Weights by chance, and the file that has them.
class weights_by_chance {
public:
    weights_by_chance() {
        const std::size_t w = small.embed, h = small.hidden;
        const std::string e = "model.encoder.", d = "model.decoder.";
        put(e + "conv1.weight", {w, 1, 127}, 0.3);
        put(e + "groupnorm.weight", {w}, 0.3, 1);
        put(e + "groupnorm.bias", {w}, 0.3);
        put(e + "conv2.weight", {2 * w, w, 7}, 0.1);
        put(e + "conv2.bias", {2 * w}, 0.1);
        put(e + "conv3.weight", {w, 2 * w, 3}, 0.1);
        put(e + "conv3.bias", {w}, 0.1);
        put(e + "layer_norm.weight", {w}, 0.3, 1);
        put(d + "embed_tokens.weight", {small.vocabulary, w}, 0.5);
        put(d + "norm.weight", {w}, 0.3, 1);
        for (std::size_t i = 0; i < small.layers; ++i) {
            const std::string el = e + "layers." + std::to_string(i), dl = d + "layers." + std::to_string(i);
            for (const std::string& name : {el + ".self_attn.", dl + ".self_attn.", dl + ".encoder_attn."})
                for (const char* part : {"q", "k", "v", "o"}) put(name + part + "_proj.weight", {w, w}, 0.3);
            for (const std::string& name :
                 {el + ".input_layernorm", el + ".post_attention_layernorm", dl + ".input_layernorm",
                  dl + ".post_attention_layernorm", dl + ".final_layernorm"})
                put(name + ".weight", {w}, 0.3, 1);
            put(el + ".mlp.fc1.weight", {h, w}, 0.3);
            put(el + ".mlp.fc1.bias", {h}, 0.3);
            put(el + ".mlp.fc2.weight", {w, h}, 0.3);
            put(el + ".mlp.fc2.bias", {w}, 0.3);
            put(dl + ".mlp.fc1.weight", {2 * h, w}, 0.3);
            put(dl + ".mlp.fc1.bias", {2 * h}, 0.3);
            put(dl + ".mlp.fc2.weight", {w, h}, 0.3);
            put(dl + ".mlp.fc2.bias", {w}, 0.3);
        }
    }

    [[nodiscard]] std::vector<char> file() const { return ashlar::test::safetensors(arrays); }
    [[nodiscard]] const reference::weights& values() const { return all; }

private:
    /// Uniform around a mean, up to a distance.
    void put(const std::string& name, const std::vector<std::size_t>& extents, double distance, double mean = 0) {
        std::size_t size = 1;
        std::string text, data;
        for (const std::size_t n : extents) {
            size *= n;
            text += (text.empty() ? "" : ",") + std::to_string(n);
        }
        std::vector<double>& v = all[name];
        for (std::size_t i = 0; i < size; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double unit = static_cast<double>(state >> 40) * 0x1p-23 - 1;
            const auto x = static_cast<float>(mean + unit * distance);
            v.push_back(static_cast<double>(x));
            data += ashlar::test::bytes_of_number(x);
        }
        arrays.push_back({name, "F32", text, data});
    }

    std::uint64_t state = 7;
    std::vector<ashlar::test::array_entry> arrays;
    reference::weights all;
};

const weights_by_chance& chosen() {
    static const weights_by_chance w;
    return w;
}
const small_model& loaded() {
    static small_model m{};
    static const bool good = [] {
        const std::vector<char> file = chosen().file();
        const ashlar::io::result r = load(m, std::as_bytes(std::span(file)));
        EXPECT_TRUE(r) << r.message().c_str();
        return static_cast<bool>(r);
    }();
    EXPECT_TRUE(good);
    return m;
}

std::vector<std::int16_t> sound_of(std::size_t count) {
    std::vector<std::int16_t> s(count);
    std::uint32_t state = 3 + static_cast<std::uint32_t>(count);
    for (std::int16_t& x : s) x = static_cast<std::int16_t>((state = state * 1664525u + 1013904223u) >> 17);
    return s;
}

transcriber<small_model>& listener() {
    static transcriber<small_model> t(loaded());
    return t;
}

/// States of both halves within 1e-5 of those in double, and all tokens that there is room for.
void expect_transcribed(std::size_t count) {
    SCOPED_TRACE(count);
    const reference::model by_formulas{chosen().values(), small.heads, small.layers, small.rotated};
    const std::vector<std::int16_t> samples = sound_of(count);
    const reference::matrix heard = by_formulas.encode(samples.data(), count);
    auto& t = listener();
    ASSERT_TRUE(t.hear(samples));
    ASSERT_EQ(t.heard_rows(), heard.rows);
    for (std::size_t i = 0; i < heard.rows; ++i)
        for (std::size_t j = 0; j < small.embed; ++j)
            ASSERT_NEAR(t.encoded()(i, j), heard(i, j), 1e-5) << i << ' ' << j;
    std::vector<int> tokens{begin_of_text};
    for (std::size_t n = 0; n < small.tokens && tokens.back() != end_of_text; ++n) {
        const reference::matrix states = by_formulas.decode(tokens, heard);
        const int next = t.next();
        for (std::size_t j = 0; j < small.embed; ++j) ASSERT_NEAR(t.decoded()(0, j), states(n, j), 1e-5) << n;
        const auto [best, margin] = by_formulas.best(states, n);
        ASSERT_GT(margin, 1e-4) << "choose other weights: these leave it to chance";
        ASSERT_EQ(next, best) << n;
        tokens.push_back(next);
    }
    EXPECT_EQ(t.next(), end_of_text);
}

TEST(transcribe, sounds_of_any_length) {
    for (const std::size_t count : {8999u, 8767u, 895u, 1278u, 1279u, 3001u, 6000u, 896u, 8999u})
        expect_transcribed(count);
}

TEST(transcribe, sounds_that_do_not_fit_are_refused) {
    auto& t = listener();
    EXPECT_FALSE(t.hear(sound_of(894)));
    EXPECT_FALSE(t.hear(sound_of(9000)));
    EXPECT_TRUE(t.hear(sound_of(895)));
    EXPECT_EQ(t.heard_rows(), 1u);
}

TEST(transcribe, rows_of_samples) {
    static_assert(fewest_samples == 895);
    static_assert(row_counts(16'000).third == 40 && row_counts(tiny.samples).third == 1248);
    static_assert(calls<small_model>::scratch_bytes <= 64 * 1024 && calls<small_model>::stack_bytes <= 64 * 1024);
}

}  // namespace
