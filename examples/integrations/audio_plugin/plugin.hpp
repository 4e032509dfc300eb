// SPDX-License-Identifier: BSL-1.0
// An amplifier as an audio plugin: JUCE's AudioProcessor around a model. With JUCE, write a subclass that adds the
// functions of your product: name, editor, state, buses.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#if __has_include(<juce_audio_processors/juce_audio_processors.h>)
#include <juce_audio_processors/juce_audio_processors.h>
#else
#include "juce_interface.hpp"
#endif

#include "model.hpp"

namespace plugin {

/// Up to two channels, each with a state of its own; they share the weights. All memory is in members: the host's audio
/// thread allocates nothing, takes no locks and makes no system calls.
template <class Model>
class amplifier_processor : public juce::AudioProcessor {
public:
    static constexpr std::size_t most_channels = 2;

    /// The weights. Fill them before the first prepareToPlay, for example by io::load or from the program.
    Model model{};
    /// A control; other threads may change it at any time.
    std::atomic<float> input_gain{1.0f};

    void prepareToPlay(double sample_rate, int) override {
        // At another sample rate the model sounds different. Resample here, or tell the user.
        rate_fits = sample_rate == Model::sample_rate;
        for (auto& channel : channels) channel.attach(model);
        gain = input_gain.load(std::memory_order_relaxed);
        setLatencySamples(0);  // sample i of the result depends on no sample after i
        juce::ScopedNoDenormals no_denormals;
        for (auto& channel : channels) run(channel, x.data(), Model::block, false);  // the first call is the slowest
        for (auto& channel : channels) channel.attach(model);
    }
    void releaseResources() override {}

    void processBlock(juce::AudioBuffer<float>& buffer, juce::MidiBuffer&) override {
        juce::ScopedNoDenormals no_denormals;
        const auto samples = static_cast<std::size_t>(buffer.getNumSamples());
        const std::size_t count = std::min(most_channels, static_cast<std::size_t>(buffer.getNumChannels()));
        // A host may pass any number of samples, also more than it announced, or none.
        const float wanted = input_gain.load(std::memory_order_relaxed);
        const float step = samples > 0 ? (wanted - gain) / static_cast<float>(samples) : 0;
        for (std::size_t c = 0; c < count; ++c) {
            float* const data = buffer.getWritePointer(static_cast<int>(c));
            for (std::size_t i = 0; i < samples; ++i) data[i] *= gain + step * static_cast<float>(i);
            for (std::size_t at = 0; at < samples; at += Model::block)
                run(channels[c], data + at, std::min(Model::block, samples - at), true);
        }
        gain = samples > 0 ? wanted : gain;
    }

    /// Whether the host plays at the rate of the model.
    bool sample_rate_fits() const noexcept { return rate_fits; }

private:
    /// Processes the next samples of a channel, in place if they are wanted.
    void run(typename Model::state& channel, float* data, std::size_t samples, bool wanted) noexcept {
        std::copy_n(data, samples, x.data());
        if (samples == Model::block)
            model(x, channel, y, values);  // a plan without a limit, which is the fastest
        else
            model(x, channel, y, values, ashlar::rows_below(samples));
        if (wanted) std::copy_n(y.data(), samples, data);
    }

    std::array<typename Model::state, most_channels> channels{};
    typename Model::scratch values{};
    typename Model::input x{};
    typename Model::output y{};
    float gain = 1;
    bool rate_fits = false;
};

}  // namespace plugin
