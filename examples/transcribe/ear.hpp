// SPDX-License-Identifier: BSL-1.0
// From sound to what the encoder makes of it: one model for all lengths, whose
// loops stop where the sound does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <ashlar/ashlar.hpp>

#include "speech_shape.hpp"

namespace transcribe {

/// Hears a piece of sound. All memory is part of the object, which is large:
/// make it static. Nothing is allocated.
template <class Model>
class ear {
    static constexpr row_counts most = Model::rows;
    using sound_type = ashlar::tensor<float, Model::options.samples, 1>;
    using first_type = ashlar::tensor<float, most.first, Model::embed>;
    using second_type = ashlar::tensor<float, most.second, 2 * Model::embed>;

public:
    static constexpr std::size_t most_samples = Model::options.samples;
    using states_type = ashlar::tensor<float, most.third, Model::embed>;

    explicit ear(const Model& m) noexcept : weights(m) {}

    /// Computes the states of a sound. False if there are fewer samples than
    /// `fewest_samples`, or more than there is room for.
    bool hear(std::span<const std::int16_t> samples) noexcept {
        if (samples.size() < fewest_samples || samples.size() > most_samples) return false;
        for (std::size_t i = 0; i < samples.size(); ++i)
            sound(i, 0) = static_cast<float>(samples[i]) * (1.0f / 32768.0f);
        const row_counts n(samples.size());
        evaluate(first, weights.first(sound), scratch, ashlar::rows_below(n.first));
        evaluate(even, weights.normed(first, n.first), scratch, ashlar::rows_below(n.first));
        evaluate(second, weights.second(even), scratch, ashlar::rows_below(n.second));
        evaluate(third, weights.third(second), scratch, ashlar::rows_below(n.third));
        evaluate(encoded, weights.encoder(third, ashlar::keys_below(n.third)), scratch, ashlar::rows_below(n.third));
        count = n.third;
        return true;
    }

    /// What was heard: the first `rows()` of the states.
    [[nodiscard]] const states_type& states() const noexcept { return encoded; }
    [[nodiscard]] std::size_t rows() const noexcept { return count; }

private:
    template <class T>
    static const T& a();
    using first_call = decltype(a<Model>().first(a<sound_type>()));
    using normed_call = decltype(a<Model>().normed(a<first_type>(), std::size_t{}));
    using second_call = decltype(a<Model>().second(a<first_type>()));
    using third_call = decltype(a<Model>().third(a<second_type>()));
    using encoder_call = decltype(a<Model>().encoder(a<states_type>(), ashlar::keys_below(std::size_t{})));

public:
    /// The most scratch that a step needs, and the most that one takes of the
    /// stack beside it.
    static constexpr std::size_t scratch_bytes =
        std::max({ashlar::workspace_bytes<first_call>, ashlar::workspace_bytes<normed_call>,
                  ashlar::workspace_bytes<second_call>, ashlar::workspace_bytes<third_call>,
                  ashlar::workspace_bytes<encoder_call>});
    static constexpr std::size_t stack_bytes =
        std::max({ashlar::stack_bytes<first_call>, ashlar::stack_bytes<normed_call>, ashlar::stack_bytes<second_call>,
                  ashlar::stack_bytes<third_call>, ashlar::stack_bytes<encoder_call>});

private:
    const Model& weights;
    sound_type sound{};
    first_type first{}, even{};  // not in place: mean and variance need all rows, and a copy would be as large
    second_type second{};
    states_type third{}, encoded{};
    ashlar::workspace<scratch_bytes> scratch;
    std::size_t count = 0;
};

}  // namespace transcribe
