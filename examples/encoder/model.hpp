// SPDX-License-Identifier: BSL-1.0
// A sentence encoder in the manner of BERT, of MiniLM's shape: words and places, six layers, and the mean of the rows.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

namespace sentences {

using namespace ashlar;

inline constexpr std::size_t words = 30'522, places = 512, embed = 384, heads = 12, hidden = 1536, layers = 6;
inline constexpr std::size_t capacity = 128;  // tokens at most in a sentence

/// Words, places and the kind of sentence as one row of numbers each, summed and normalised.
template <class Weight>
struct embeddings {
    nn::embedding<{.entries = words, .size = embed}, float, Weight> word_embeddings;
    nn::embedding<{.entries = places, .size = embed}, float, Weight> position_embeddings;
    nn::embedding<{.entries = 2, .size = embed}, float, Weight> token_type_embeddings;
    nn::layer_norm<{.size = embed, .eps = 1e-12}> norm;

    /// [..., capacity] to [..., capacity, embed]; all tokens are of the first sentence of a pair.
    template <class Tokens>
    auto operator()(const Tokens& tokens) const {
        return norm(word_embeddings(tokens) + slice<0, 0, std::ptrdiff_t{capacity}>(position_embeddings.weight) +
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

/// The weights. Matrices are of Weight: float, bf16 or smoothed<std::int8_t>, and tables likewise, which are of floats
/// where matrices are in 8 bits. Biases, norms and what is computed are of floats.
template <class Weight>
struct encoder {
    static constexpr nn::encoder_options options{
        .layer = {.embed = embed, .heads = heads, .hidden = hidden, .activation = nn::activation::gelu, .eps = 1e-12},
        .layers = layers};

    sentences::embeddings<Weight> embeddings;
    nn::encoder<options, float, Weight> stack;

    /// One vector of length 1 for each sentence of n tokens, [..., capacity] to [..., embed]: the mean of the rows that
    /// hold tokens. No others are computed. n is an integer, or one for each sentence of a batch.
    template <auto... Shape, class Lengths>
    auto operator()(const basic_tensor<int, Shape...>& tokens, const Lengths& n) const {
        static tensor<float, Shape..., embed> x, y;
        static workspace<workspace_bytes<decltype(stack(x, keys_below(n)))>> scratch;
        evaluate(x, embeddings(tokens), rows_below(n));
        evaluate(y, stack(x, keys_below(n)), scratch, rows_below(n));
        return eval(normalize(masked_mean<sizeof...(Shape) - 1>(y, keys_below(n))));
    }
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embeddings", self.embeddings);
        visit("", self.stack);
    }
};

/// From a file of Hugging Face's, the same for all types of weights: those of fewer bits are rounded on the way.
template <class Weight>
io::result load(encoder<Weight>& model, const io::source& file) {
    const io::result r = io::load(model, file, io::bert_names, {.ignore_unexpected = true});
    return r ? r : io::load(model, file, io::bert_names, {.prefix = "bert.", .ignore_unexpected = true});
}

}  // namespace sentences
