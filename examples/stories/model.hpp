// SPDX-License-Identifier: BSL-1.0
// A small decoder in the manner of Llama: its shape as constants, its weights, and the state of one conversation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

namespace stories {

using namespace ashlar;

/// The shape of a model.
struct model_options {
    std::size_t vocabulary, context, embed, heads, kv_heads, hidden, layers;
};

/// The 260,032 parameters of Karpathy's stories260K.
inline constexpr model_options stories260k{
    .vocabulary = 512, .context = 512, .embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172, .layers = 5};

/// The weights: a table of tokens, blocks of attention and gated feed-forward, and the scores of the next token, whose
/// matrix is the table again, packed. With weights of bf16 a token reads half the bytes; with elements of bf16 products
/// are of bf16, too. Scores are of floats: where the two best are next to each other, rounding would choose another.
/// With weights of std::int8_t all matrices are in 8 bits, and only the table is of floats. Keys and values are of
/// Cached: float, bf16, or std::int8_t.
template <model_options Options, class Element = float, class Weight = Element, class Cached = float>
struct model {
    static constexpr std::size_t vocabulary = Options.vocabulary, context = Options.context, embed = Options.embed;
    static constexpr nn::llama_layer_options block{
        .embed = embed, .heads = Options.heads, .kv_heads = Options.kv_heads, .hidden = Options.hidden, .eps = 1e-5};
    static constexpr std::size_t head_width = embed / Options.heads;
    static constexpr nn::rope_options positions{.head_width = head_width, .positions = context};
    static constexpr nn::llama_decoder_options stack_options{.block = block, .layers = Options.layers};
    static constexpr nn::linear_options output_options{.in = embed, .out = vocabulary, .bias = false};

    nn::embedding<{.entries = vocabulary, .size = embed}, Element, Weight> tokens;
    nn::llama_decoder<stack_options, Element, Weight> stack;
    nn::linear<output_options, float, std::conditional_t<std::is_same_v<Weight, std::int8_t>, Weight, float>> output;

    using cache = std::array<nn::kv_cache<Cached, context, Options.kv_heads, head_width>, Options.layers>;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("tokens", self.tokens);
        visit("", self.stack);
        visit("output", self.output);
    }
};

/// Names of the arrays in stories260K.safetensors. Its tables of cosines and sines are not loaded but computed.
inline constexpr io::name_rule names[]{
    {"tokens.weight", "tok_embeddings"},
    {"output.weight", "tok_embeddings"},
    {"layers.*.input_layernorm.weight", "layers.*.attention_norm"},
    {"layers.*.self_attn.q_proj.weight", "layers.*.wq"},
    {"layers.*.self_attn.k_proj.weight", "layers.*.wk"},
    {"layers.*.self_attn.v_proj.weight", "layers.*.wv"},
    {"layers.*.self_attn.o_proj.weight", "layers.*.wo"},
    {"layers.*.post_attention_layernorm.weight", "layers.*.ffn_norm"},
    {"layers.*.mlp.gate_proj.weight", "layers.*.w1"},
    {"layers.*.mlp.down_proj.weight", "layers.*.w2"},
    {"layers.*.mlp.up_proj.weight", "layers.*.w3"},
    {"norm.weight", "norm"},
};

template <class Model>
io::result load(Model& weights, const io::source& file) {
    return io::load(weights, file, names, {.prefix = {}, .ignore_unexpected = true});
}

/// One conversation: keys and values of the tokens so far, and scratch. Large; make it static.
template <class Model>
class session {
public:
    static constexpr std::size_t vocabulary = Model::vocabulary, embed = Model::embed;

    explicit session(const Model& m) : weights(m) {}

    /// Tokens so far; less than Model::context (asserted).
    [[nodiscard]] std::size_t length() const { return cache[0].length(); }

    /// Forgets everything.
    void clear() {
        for (auto& layer : cache) layer.clear();
    }

    /// The scores of what follows, after one more token.
    const tensor<float, vocabulary>& next(int token) {
        const tensor<int, 1> one{token};
        logits = reshape<vocabulary>(read(one, step_scratch));
        return logits;
    }

    /// The scores [Rows, vocabulary] of what follows each of several tokens, read at once.
    template <std::size_t Rows>
    void read_all(const basic_tensor<int, Rows>& tokens, basic_tensor<float, Rows, vocabulary>& scores) {
        static workspace<scratch_bytes<Rows>()> scratch;
        scores = read(tokens, scratch);
    }

    /// Scratch of one step and of the cache, in bytes.
    static constexpr std::size_t scratch_size() { return scratch_bytes<1>(); }

private:
    template <std::size_t Rows>
    static auto step(const Model& m, const basic_tensor<int, Rows>& tokens, typename Model::cache& cache) {
        return m.stack.decode(m.tokens(tokens), nn::rope_tables<Model::positions>, cache);
    }
    template <std::size_t Rows>
    static constexpr std::size_t scratch_bytes() {
        return workspace_bytes<decltype(step<Rows>(std::declval<const Model&>(),
                                                   std::declval<const tensor<int, Rows>&>(),
                                                   std::declval<typename Model::cache&>()))>;
    }

    template <std::size_t Rows, class Scratch>
    tensor<float, Rows, vocabulary> read(const basic_tensor<int, Rows>& tokens, Scratch& scratch) {
        tensor<float, Rows, embed> y;
        evaluate(y, step(weights, tokens, cache), scratch);
        return weights.output(y);
    }

    const Model& weights;
    typename Model::cache
        cache{};  // written once here, so that no page of it is new to the system while a story is told
    tensor<float, vocabulary> logits;
    workspace<scratch_bytes<1>()> step_scratch;
};

}  // namespace stories
