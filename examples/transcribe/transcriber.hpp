// SPDX-License-Identifier: BSL-1.0
// From sound to tokens: one model for all lengths, whose loops stop where the sound does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "calls.hpp"
#include "model.hpp"

namespace transcribe {

inline constexpr int begin_of_text = 1, end_of_text = 2;

/// Hears a piece of sound and says the likeliest tokens, one by one. All memory is part of the object, which is large:
/// make it static. Nothing is allocated.
template <class Model>
class transcriber {
public:
    static constexpr std::size_t most_samples = Model::options.samples, most_tokens = Model::options.tokens;

    explicit transcriber(const Model& m) noexcept : weights(m) {}

    /// Computes what the tokens are looked up in. False if there are fewer samples than `fewest_samples`, or more than
    /// the model has room for.
    bool hear(std::span<const std::int16_t> samples) noexcept {
        if (samples.size() < fewest_samples || samples.size() > most_samples) return false;
        for (std::size_t i = 0; i < samples.size(); ++i)
            sound(i, 0) = static_cast<float>(samples[i]) * (1.0f / 32768.0f);
        const row_counts n(samples.size());
        evaluate(first, weights.first(sound), scratch, ashlar::rows_below(n.first));
        evaluate(first, weights.normed(first, n.first), scratch, ashlar::rows_below(n.first));
        evaluate(second, weights.second(first), scratch, ashlar::rows_below(n.second));
        evaluate(third, weights.third(second), scratch, ashlar::rows_below(n.third));
        evaluate(states, weights.encoder(third, ashlar::keys_below(n.third)), scratch, ashlar::rows_below(n.third));
        weights.decoder.remember(states, memories, n.third, scratch);
        for (auto& layer : caches) layer.clear();
        latest = begin_of_text;
        rows = n.third;
        return true;
    }

    /// The next token; end_of_text when all was said, or there is no room for more.
    int next() noexcept {
        if (latest == end_of_text || caches[0].full()) return end_of_text;
        const ashlar::tensor<int, 1> token{latest};
        evaluate(state, weights.decoder.decode(weights.embedding(token), caches, memories), scratch);
        ashlar::tensor<int, 1> best;
        evaluate(best, ashlar::argmax<-1>(weights.embedding.scores(state)), scratch);
        return latest = best(0);
    }

    /// The encoder's states of what was heard, `heard_rows` rows, and the decoder's of the latest token.
    const auto& encoded() const noexcept { return states; }
    std::size_t heard_rows() const noexcept { return rows; }
    const auto& decoded() const noexcept { return state; }

private:
    using types = calls<Model>;

    const Model& weights;
    typename types::sound sound{};
    typename types::first_rows first{};
    typename types::second_rows second{};
    typename types::states third{}, states{};
    typename types::memories memories{};
    typename types::caches caches{};
    typename types::state state{};
    ashlar::workspace<types::scratch_bytes> scratch;
    std::size_t rows = 0;
    int latest = end_of_text;
};

}  // namespace transcribe
