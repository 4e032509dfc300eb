// SPDX-License-Identifier: BSL-1.0
// A word tokenizer and an embedding that feed batched attention with biases (after a PyTorch notebook).
#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace reference = fixtures::attention_study;

namespace {

inline constexpr axis<"batch", 1> batch;
inline constexpr axis<"word", 5> word;
inline constexpr axis<"vocabulary", 11> vocabulary;  // BOS, EOS, and nine words
inline constexpr axis<"hidden", 10> hidden;

/// The first word of a text, which loses it and the space after it.
std::string_view next_word(std::string_view& text) {
    const auto length = std::min(text.find(' '), text.size());
    const auto first = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    return first;
}

/// A sentence of five words as their positions in the vocabulary.
tensor<int, batch, word> encode(std::string_view sentence) {
    tensor<int, batch, word> tokens;
    for (int& token : tokens) {
        std::string lower(next_word(sentence));
        for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        const auto& words = reference::vocabulary;
        token = static_cast<int>(std::find(std::begin(words), std::end(words), lower) - std::begin(words));
    }
    return tokens;
}

/// Back to words, the first with a capital.
std::string decode(const tensor<int, batch, word>& tokens) {
    std::string sentence;
    for (const int token : tokens) sentence.append(sentence.empty() ? "" : " ").append(reference::vocabulary[token]);
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    return sentence;
}

/// The notebook's layer: three linear maps with biases, then scaled attention in each batch entry.
template <auto In, auto Out>
struct attention_layer {
    tensor<float, Out, In> q, k, v;
    tensor<float, Out> q_bias, k_bias, v_bias;

    auto queries(const any_expression auto& x) const { return matmul(x, transpose(q)) + q_bias; }
    auto keys(const any_expression auto& x) const { return matmul(x, transpose(k)) + k_bias; }
    auto values(const any_expression auto& x) const { return matmul(x, transpose(v)) + v_bias; }

    // x may have any batch axes before its last two: torch's bmm and matmul are one function here.
    auto operator()(const any_expression auto& x) const { return attention(queries(x), keys(x), values(x)); }
};

tensor<float, hidden, hidden> weight(std::size_t m) {
    return generate<float, hidden, hidden>([=](auto o, auto i) { return fixtures::centred(m, o, i, 158); });
}
tensor<float, hidden> bias_of(std::size_t m) {
    return generate<float, hidden>([=](auto o) { return fixtures::centred(m, o, hidden.extent, 158); });
}

}  // namespace

int main() {
    title("tokenizer");
    const auto tokens = encode("How are you doing ?");
    check("tokens are 9 8 4 2 3", std::equal(tokens.begin(), tokens.end(), std::begin(reference::tokens)));
    check("and back", decode(tokens) == "How are you doing ?");

    // Of the embedding the notebook prints the rows of this sentence; the other words stay zero here.
    title("embedding");
    auto table = zeros<float, vocabulary, hidden>();
    const auto rows = borrowed<word, hidden>(reference::embedded[0]);
    for (std::size_t i = 0; i < word.extent; ++i) table[tokens(0, i)] = rows[i];
    const auto embedded = eval(take<vocabulary>(table, tokens));  // [batch, word, hidden]
    check_near("take<vocabulary>(table, tokens)", embedded, reference::embedded, 0);

    title("attention");
    const attention_layer<hidden, hidden> layer{weight(0), weight(1), weight(2), bias_of(0), bias_of(1), bias_of(2)};
    check_near("weights", attention_weights(layer.queries(embedded), layer.keys(embedded)),
               reference::attention_weights, 1e-6);
    check_near("hidden states", layer(embedded), reference::attention, 1e-6);
    return report();
}
