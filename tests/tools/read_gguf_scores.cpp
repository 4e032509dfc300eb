// SPDX-License-Identifier: BSL-1.0
// Loads what tools/read_gguf.py wrote and prints the scores behind each token: by Hugging Face's names, or as
// examples/stories.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <examples/stories/model.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

/// The shape of tests/tools/gguf_llama.py.
constexpr stories::model_options shape{
    .vocabulary = 37, .context = 16, .embed = 64, .heads = 4, .kv_heads = 2, .hidden = 96, .layers = 2};
using interleaved = stories::model<shape>;

/// The same model with rotary pairs in halves of a head.
struct hugging_face {
    static constexpr std::size_t vocabulary = shape.vocabulary;
    static constexpr nn::rope_options positions{
        .head_width = interleaved::head_width, .positions = shape.context, .pairs = nn::pair_order::halves};
    using cache = interleaved::cache;

    nn::embedding<{.entries = 37, .size = 64}> tokens;
    nn::llama_decoder<interleaved::stack_options> stack;
    nn::linear<interleaved::output_options> output;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embed_tokens", self.tokens);
        visit("", self.stack);
        visit("lm_head", self.output);
    }
};

/// With a head of its own, where examples/stories takes the table again.
constexpr io::name_rule own_output[]{{"weight", "output"}};

template <class Model>
int print_scores(const Model& m, int count, char** tokens) {
    static typename Model::cache cache{};
    for (int i = 0; i < count; ++i) {
        const tensor<int, 1> one{std::atoi(tokens[i])};
        tensor<float, 1, 64> y;
        y = m.stack.decode(m.tokens(one), nn::rope_tables<Model::positions>, cache);
        const tensor<float, 1, Model::vocabulary> scores = m.output(y);
        for (const float s : scores) std::printf("%.9g\n", static_cast<double>(s));
    }
    return 0;
}

template <class Result>
bool is_loaded(const Result& r) {
    if (!r) std::fprintf(stderr, "%s\n", r.message().c_str());
    return static_cast<bool>(r);
}

}  // namespace

int main(int count, char** words) {
    if (count < 3) return 2;
    if (words[1] == std::string_view("halves")) {
        static hugging_face model;
        return is_loaded(io::load(model, words[2], io::llama_names)) ? print_scores(model, count - 3, words + 3) : 1;
    }
    static interleaved model;
    if (!is_loaded(stories::load(model, words[2]))) return 1;
    if (!is_loaded(io::load(model.output, words[2], own_output, {.prefix = {}, .ignore_unexpected = true}))) return 1;
    return print_scores(model, count - 3, words + 3);
}
