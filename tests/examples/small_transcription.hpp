// SPDX-License-Identifier: BSL-1.0
// A small model of the transcription example: weights by chance in a file by
// the names of Hugging Face's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <examples/transcribe/model.hpp>
#include <gtest/gtest.h>

#include "examples/moonshine_reference.hpp"
#include "io/file_builder.hpp"

namespace transcribe {

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

inline const weights_by_chance& chosen() {
    static const weights_by_chance w;
    return w;
}
inline const small_model& loaded() {
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

/// The same by formulas.
inline const reference::model& by_formulas() {
    static const reference::model m{chosen().values(), small.heads, small.layers, small.rotated};
    return m;
}

inline std::vector<std::int16_t> sound_of(std::size_t count) {
    std::vector<std::int16_t> s(count);
    std::uint32_t state = 3 + static_cast<std::uint32_t>(count);
    for (std::int16_t& x : s) x = static_cast<std::int16_t>((state = state * 1664525u + 1013904223u) >> 17);
    return s;
}

}  // namespace transcribe
