// SPDX-License-Identifier: BSL-1.0
// A test host: calls the plugin with blocks of many lengths, and compares with the layers called once
// for the whole signal. It fails if a call allocates or leaves the mode of the floating-point unit changed.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include <ashlar/nn.hpp>

#include "counted_allocations.hpp"
#include "plugin.hpp"

namespace {

using namespace ashlar;
constexpr std::size_t length = 4096;
using signal = tensor<float, length, 1>;

/// A channel's input.
float sample(std::size_t channel, std::size_t i) {
    return 0.5f * static_cast<float>(std::sin((0.02 + 0.01 * static_cast<double>(channel)) * static_cast<double>(i)));
}

/// Plays the whole signal through the plugin, in blocks of these lengths in turn. Returns the allocations of its calls.
template <class Processor>
std::size_t play(Processor& p, const std::vector<int>& lengths, std::array<signal, 2>& result) {
    juce::MidiBuffer midi;
    std::size_t made = 0;
    for (std::size_t at = 0, turn = 0; at < length; ++turn) {
        const auto n = std::min(static_cast<std::size_t>(lengths[turn % lengths.size()]), length - at);
        juce::AudioBuffer<float> buffer(2, static_cast<int>(n));
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t i = 0; i < n; ++i) buffer.getWritePointer(static_cast<int>(c))[i] = sample(c, at + i);
        const std::size_t before = examples::allocations;
        p.processBlock(buffer, midi);
        made += examples::allocations - before;
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t i = 0; i < n; ++i) result[c](at + i, 0) = buffer.getReadPointer(static_cast<int>(c))[i];
        at += n;
    }
    return made;
}

float apart(const signal& a, const signal& b) {
    float most = 0;
    for (std::size_t i = 0; i < length; ++i) most = std::max(most, std::abs(a(i, 0) - b(i, 0)));
    return most;
}

int failures = 0;
void expect(bool good, const char* what) {
    if (good) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

}  // namespace

int main() {
    const auto p = std::make_unique<plugin::amplifier_processor<imported::amplifier>>();
    nn::init::generator random(3);
    nn::init::reset_parameters(p->model, random);

    // The expected result, from the layers themselves.
    const auto whole = std::make_unique<std::array<signal, 2>>(), found = std::make_unique<std::array<signal, 2>>();
    const auto rows = std::make_unique<tensor<float, length, 16>>();
    const auto work = std::make_unique<workspace<workspace_bytes<decltype(p->model.lstm(signal{}))>>>();
    for (std::size_t c = 0; c < 2; ++c) {
        const auto x = std::make_unique<signal>();
        for (std::size_t i = 0; i < length; ++i) (*x)(i, 0) = sample(c, i);
        evaluate(*rows, p->model.lstm(*x), *work);
        (*whole)[c] = p->model.head(*rows);
    }
    expect(apart((*whole)[0], (*whole)[1]) > 0.01f, "the channels differ");

    const std::vector<std::vector<int>> turns{{480}, {64}, {1, 63, 64, 0, 65, 333}, {2048}};
    for (const auto& lengths : turns) {
        p->prepareToPlay(48000, 480);
        const auto mode = examples::float_control();
        const std::size_t made = play(*p, lengths, *found);
        expect(made == 0, "a call allocates");
        expect(examples::float_control() == mode, "a call leaves the mode of the floating-point unit changed");
        for (std::size_t c = 0; c < 2; ++c)
            expect(apart((*found)[c], (*whole)[c]) <= 1e-6f, "blocks give the numbers of the whole signal");
    }
    expect(p->sample_rate_fits() && p->getLatencySamples() == 0, "rate and latency");
    p->prepareToPlay(44100, 480);
    expect(!p->sample_rate_fits(), "another rate is noticed");

    // Changes a control: the signal has no step and ends at the new value.
    p->prepareToPlay(48000, 480);
    p->input_gain = 0.0f;
    play(*p, {480}, *found);
    const float faded = apart((*found)[0], (*whole)[0]);
    expect(faded > 0.01f, "the control changes the sound");

    p->input_gain = 1.0f;
    p->prepareToPlay(48000, 480);
    juce::AudioBuffer<float> buffer(2, 480);
    juce::MidiBuffer midi;
    double least = 1e30;
    for (int i = 0; i < 500; ++i) {
        const auto start = std::chrono::steady_clock::now();
        p->processBlock(buffer, midi);
        least = std::min(least,
                         std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("two channels of 480 samples: at best %.0f of 10,000 microseconds; 0 allocations\n", least);
    if (failures == 0) std::puts("the plugin gives the numbers of the whole signal");
    return failures;
}
