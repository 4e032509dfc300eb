// SPDX-License-Identifier: BSL-1.0
// The few classes of JUCE that the plugin uses, with JUCE's names and signatures, for builds without JUCE, such as the
// test.
#pragma once

#include <cstddef>
#include <vector>

#include "flush_denormals.hpp"

namespace juce {

template <class Sample>
class AudioBuffer {
public:
    AudioBuffer(int channels, int samples)
        : count(samples),
          data(static_cast<std::size_t>(channels), std::vector<Sample>(static_cast<std::size_t>(samples))) {}
    int getNumChannels() const noexcept { return static_cast<int>(data.size()); }
    int getNumSamples() const noexcept { return count; }
    const Sample* getReadPointer(int channel) const noexcept { return data[static_cast<std::size_t>(channel)].data(); }
    Sample* getWritePointer(int channel) noexcept { return data[static_cast<std::size_t>(channel)].data(); }

private:
    int count;
    std::vector<std::vector<Sample>> data;
};

class MidiBuffer {};

using ScopedNoDenormals = examples::flush_denormals;

class AudioProcessor {
public:
    virtual ~AudioProcessor() = default;
    virtual void prepareToPlay(double sampleRate, int maximumExpectedSamplesPerBlock) = 0;
    virtual void releaseResources() = 0;
    virtual void processBlock(AudioBuffer<float>& buffer, MidiBuffer& midi) = 0;
    void setLatencySamples(int samples) { latency = samples; }
    int getLatencySamples() const noexcept { return latency; }

private:
    int latency = 0;
};

}  // namespace juce
