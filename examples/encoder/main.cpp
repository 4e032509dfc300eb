// SPDX-License-Identifier: BSL-1.0
// A sentence encoder in the manner of BERT (MiniLM's shape): a Hugging Face file in, one vector per sentence out.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t words = 30'522, places = 512, embed = 384, heads = 12, hidden = 1536, layers = 6;
constexpr std::size_t batch = 4, rows = 128;  // sentences at once, and tokens at most in each

/// Words, places and the kind of sentence as one row of numbers each, summed and normalised.
struct embeddings {
    nn::embedding<{.entries = words, .size = embed}> word_embeddings;
    nn::embedding<{.entries = places, .size = embed}> position_embeddings;
    nn::embedding<{.entries = 2, .size = embed}> token_type_embeddings;
    nn::layer_norm<{.size = embed, .eps = 1e-12}> norm;

    /// [sentences, rows] to [sentences, rows, embed]; all tokens are of the first sentence of a pair.
    auto operator()(const basic_tensor<int, batch, rows>& tokens) const {
        return norm(word_embeddings(tokens) + slice<0, 0, std::ptrdiff_t{rows}>(position_embeddings.weight) +
                    row(token_type_embeddings.weight, 0));
    }
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("word_embeddings", self.word_embeddings);
        visit("position_embeddings", self.position_embeddings);
        visit("token_type_embeddings", self.token_type_embeddings);
        visit("LayerNorm", self.norm);
    }
};

struct sentence_encoder {
    using input_type = tensor<int, batch, rows>;
    static constexpr nn::encoder_options options{
        .layer = {.embed = embed, .heads = heads, .hidden = hidden, .activation = nn::activation::gelu, .eps = 1e-12},
        .layers = layers};

    ::embeddings embeddings;
    nn::encoder<options> encoder;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embeddings", self.embeddings);
        visit("", self.encoder);
    }
};

double microseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--help") == 0)) {
        std::puts(
            "encoder [model.safetensors]\n  a BERT of 6 layers, 384 wide, as Hugging Face saves it; without it, random weights");
        return argc > 2 ? 2 : 0;
    }
    static sentence_encoder model;
    if (argc == 2) {
        io::result r = io::load(model, argv[1], io::bert_names, {.ignore_unexpected = true});
        if (!r) r = io::load(model, argv[1], io::bert_names, {.prefix = "bert.", .ignore_unexpected = true});
        if (!r) {
            std::fprintf(stderr, "encoder: %s: %s\n", argv[1], r.message().c_str());
            return 1;
        }
    } else {
        nn::init::generator random(1);
        nn::for_each_parameter(model, [&](const nn::parameter& p) {
            const bool is_norm_weight = p.name.find("norm") != std::string_view::npos && p.name.ends_with("weight");
            for (std::size_t i = 0; i < p.size(); ++i)
                static_cast<float*>(p.data)[i] = is_norm_weight ? 1.0f : random.uniform(-0.02f, 0.02f);
        });
    }

    static tensor<int, batch, rows> tokens;
    const tensor<int, batch> lengths{128, 100, 37, 5};
    for (std::size_t s = 0; s < batch; ++s)
        for (std::size_t i = 0; i < rows; ++i)
            tokens(s, i) = static_cast<int>(i < static_cast<std::size_t>(lengths(s)) ? 1000 + 97 * i + s : 0);

    static tensor<float, batch, rows, embed> x, y;
    using call = decltype(model.encoder(x, keys_below(lengths)));
    static workspace<workspace_bytes<call>> scratch;
    x = model.embeddings(tokens);

    std::puts(nn::summary<nn::encoder<sentence_encoder::options>, decltype(x)>().c_str());
    std::puts(explain(model.encoder.layers[0](x, keys_below(lengths))).c_str());

    double best = 1e30;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        evaluate(y, model.encoder(x, keys_below(lengths)), scratch, rows_below(lengths));
        best = std::min(best, microseconds_since(start));
    }
    std::printf("%.0f microseconds for a layer and %zu sentences of at most %zu tokens, %zu bytes of scratch for all\n",
                best / static_cast<double>(layers), batch, rows, sizeof scratch);

    // The mean of the rows that hold tokens is the sentence; cosines compare sentences.
    const tensor<float, batch, embed> sentences = normalize(masked_mean<1>(y, keys_below(lengths)));
    const tensor<float, batch, batch> cosines = matmul(sentences, transpose(sentences));
    std::puts("cosines between the sentences:");
    for (std::size_t i = 0; i < batch; ++i) {
        for (std::size_t j = 0; j < batch; ++j) std::printf(" %7.4f", cosines(i, j));
        std::puts("");
    }
}
