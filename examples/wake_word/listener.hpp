// SPDX-License-Identifier: BSL-1.0
// Listening without end: 40 ms of sound at a time, of which only what is new is computed up to the tokens.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/ashlar.hpp>

#include "model.hpp"

namespace wake_word {

/// Scores of a whole window, from its samples: what a listener says after the last of them.
void recognize(scores& out, const model& weights,
               const ashlar::tensor_view<const std::int16_t, window_samples>& samples) noexcept;

/// Hears 640 samples at a time and says how the latest 16,192 sound. What it remembers is a constant: the samples that
/// the next frames overlap, a frame and a row of the stem for the next windows of the convolutions, and a ring of
/// tokens. A step takes the same time whatever was heard; nothing is allocated. Scratch is static: for one thread at
/// a time.
class listener {
public:
    explicit listener(const model& m) noexcept : weights(m) {}

    /// Scores of the window that ends with these samples.
    const scores& hear(const ashlar::tensor_view<const std::int16_t, step>& samples) noexcept;
    /// Whether as much was heard as a window has; scores before that are of silence in part.
    [[nodiscard]] bool is_awake() const noexcept { return heard >= tokens; }

    static constexpr std::size_t kept = frame - hop;  ///< samples that frames to come will overlap

private:
    const model& weights;
    ashlar::tensor<std::int16_t, kept + step> sound{};
    ashlar::tensor<float, 1 + frames_per_token, bands> frames{};
    ashlar::tensor<float, 3, embed> rows{};
    ashlar::tensor<float, 2 * tokens, embed> ring{};  ///< each token twice, so that a window is never in two parts
    std::size_t heard = 0;
    scores latest{};
};

/// When scores are a word: one of them is surer than 9 to 1 in two steps, and the same was not said in the last 0.8 s.
class trigger {
public:
    /// The word that was just recognised, or 0.
    std::size_t of(const scores& latest) noexcept {
        const ashlar::tensor<float, classes> shares = ashlar::softmax(latest);
        std::size_t best = 0;
        for (std::size_t c = 1; c < classes; ++c)
            if (shares(c) > 0.9f) best = c;
        repeated = best != 0 && best == candidate ? repeated + 1 : 0;
        candidate = best;
        for (std::size_t& steps : rest)
            if (steps > 0) --steps;
        if (repeated != 1 || rest[best] > 0) return 0;
        rest[best] = 20;
        return best;
    }

private:
    std::size_t candidate = 0, repeated = 0;
    std::size_t rest[classes]{};  ///< steps for which a word is not said again
};

}  // namespace wake_word
