// SPDX-License-Identifier: BSL-1.0
// From what was heard to tokens: keys and values of the sound are computed
// once, then a token at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace transcribe {

inline constexpr int begin_of_text = 1, end_of_text = 2;

/// Says the likeliest tokens, one by one. All memory is part of the object,
/// which is large: make it static. Nothing is allocated.
template <class Model>
class writer {
public:
    static constexpr std::size_t most_tokens = Model::options.tokens;
    using states_type = ashlar::tensor<float, Model::rows.third, Model::embed>;
    using state_type = ashlar::tensor<float, 1, Model::embed>;

    explicit writer(const Model& m) noexcept : weights(m) {}

    /// Begins a text, of a sound whose states are the first `count` rows of those
    /// given.
    void begin(const states_type& states, std::size_t count) noexcept {
        weights.decoder.remember(states, memories, count, scratch);
        for (auto& layer : caches) layer.clear();
        latest = begin_of_text;
    }

    /// The next token; end_of_text when all was said, or there is no room for
    /// more.
    int next() noexcept {
        if (latest == end_of_text || caches[0].full()) return end_of_text;
        const ashlar::tensor<int, 1> token{latest};
        evaluate(decoded, weights.decoder.decode(weights.embedding(token), caches, memories), scratch);
        ashlar::tensor<int, 1> best;
        evaluate(best, ashlar::argmax<-1>(weights.embedding.scores(decoded)), scratch);
        return latest = best(0);
    }

    /// The decoder's state of the latest token.
    [[nodiscard]] const state_type& state() const noexcept { return decoded; }

private:
    using cache = ashlar::nn::kv_cache<float, most_tokens, Model::heads, Model::head_width>;
    using memory = ashlar::nn::kv_cache<float, Model::rows.third, Model::heads, Model::head_width>;
    using cache_array = std::array<cache, Model::layers>;
    using memory_array = std::array<memory, Model::layers>;

    template <class T>
    static const T& a();
    using decoder_call = decltype(a<Model>().decoder.decode(a<Model>().embedding(a<ashlar::tensor<int, 1>>()),
                                                            std::declval<cache_array&>(), a<memory_array>()));
    using best_call = decltype(ashlar::argmax<-1>(a<Model>().embedding.scores(a<state_type>())));

public:
    /// The most scratch that a step needs, and the most that one takes of the
    /// stack beside it.
    static constexpr std::size_t scratch_bytes =
        std::max({decltype(Model::decoder)::template remember_workspace_bytes<states_type, memory>,
                  ashlar::workspace_bytes<decoder_call>, ashlar::workspace_bytes<best_call>});
    static constexpr std::size_t stack_bytes =
        std::max(ashlar::stack_bytes<decoder_call>, ashlar::stack_bytes<best_call>);

private:
    const Model& weights;
    memory_array memories{};
    cache_array caches{};
    state_type decoded{};
    ashlar::workspace<scratch_bytes> scratch;
    int latest = end_of_text;
};

}  // namespace transcribe
