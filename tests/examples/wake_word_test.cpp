// SPDX-License-Identifier: BSL-1.0
// The wake-word example: features against a plain transform in double, words it was not trained on, listening step by
// step against whole windows, and files.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <examples/support/wav.hpp>
#include <examples/wake_word/listener.cpp>  // its unit, with the flags of tests
#include <examples/wake_word/speech.hpp>
#include <gtest/gtest.h>

#include <ashlar/io.hpp>

namespace {

using namespace examples;
using namespace wake_word;
using ashlar::tensor;
using ashlar::tensor_view;

const model& trained() {
    static model m{};
    static const bool loaded = [] {
        const ashlar::io::result r = ashlar::io::load(m, "examples/wake_word/wake_word.safetensors");
        EXPECT_TRUE(r) << r.message().c_str();
        return static_cast<bool>(r);
    }();
    EXPECT_TRUE(loaded);
    return m;
}

std::size_t largest(const scores& of) {
    return static_cast<std::size_t>(std::max_element(of.begin(), of.end()) - of.begin());
}

/// The features of a frame by their definition.
std::vector<double> features_by_definition(const std::int16_t* samples) {
    constexpr double pi = std::numbers::pi;
    std::vector<double> power(frame / 2 + 1);
    for (std::size_t k = 0; k < power.size(); ++k) {
        double re = 0, im = 0;
        for (std::size_t n = 0; n < frame; ++n) {
            const double share = static_cast<double>(n) / frame;
            const double x = samples[n] / 32768.0 * (0.5 - 0.5 * std::cos(2 * pi * share));
            re += x * std::cos(2 * pi * share * static_cast<double>(k));
            im -= x * std::sin(2 * pi * share * static_cast<double>(k));
        }
        power[k] = re * re + im * im;
    }
    const auto mel = [](double hz) { return 2595 * std::log10(1 + hz / 700); };
    const auto edge = [&](std::size_t i) {
        const double m = mel(60) + (mel(7600) - mel(60)) * static_cast<double>(i) / (bands + 1);
        return 700 * (std::pow(10, m / 2595) - 1);
    };
    std::vector<double> result(bands);
    for (std::size_t b = 0; b < bands; ++b) {
        double sum = 1e-3;
        for (std::size_t k = 0; k < power.size(); ++k) {
            const double hz = static_cast<double>(k) * sample_rate / frame;
            const double up = (hz - edge(b)) / (edge(b + 1) - edge(b));
            const double down = (edge(b + 2) - hz) / (edge(b + 2) - edge(b + 1));
            sum += power[k] * std::max(0.0, std::min(up, down));
        }
        result[b] = 0.25 * std::log(sum);
    }
    return result;
}

}  // namespace

TEST(wake_word, features_are_those_of_a_plain_transform) {
    dice d(1);
    std::array<std::int16_t, samples_of(3)> sound;
    for (const float loud : {0.0f, 0.001f, 0.3f}) {
        for (std::size_t i = 0; i < sound.size(); ++i)
            sound[i] = as_sample(loud * (d.noise() + 3 * std::sin(0.3f * static_cast<float>(i))));
        const tensor_view<const std::int16_t, samples_of(3)> view(sound.data());
        const tensor<float, 3, bands> heard = features(view);
        for (std::size_t f = 0; f < 3; ++f) {
            const std::vector<double> expected = features_by_definition(sound.data() + f * hop);
            for (std::size_t b = 0; b < bands; ++b)
                EXPECT_NEAR(heard(f, b), expected[b], 2e-4) << loud << ' ' << f << ' ' << b;
        }
    }
}

// Windows that train_wake_word.py does not train on: of its 3,000 99.9% are right.
TEST(wake_word, words_are_told_from_all_else) {
    static std::int16_t samples[window_samples];
    std::size_t right = 0, of[classes]{};
    constexpr std::size_t count = 400;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t label = record(std::span(samples), 50'000 + i);
        scores found;
        recognize(found, trained(), tensor_view<const std::int16_t, window_samples>(samples));
        right += largest(found) == label;
        ++of[label];
    }
    EXPECT_GE(right, count * 97 / 100);
    for (const std::size_t n : of) EXPECT_GT(n, count / 10);
}

TEST(wake_word, listening_step_by_step_is_as_hearing_all_at_once) {
    constexpr std::size_t steps = 3 * tokens + 5;
    static std::int16_t sound[steps * step];
    conversation talk(7);
    for (std::size_t i = 0; i < steps; ++i) talk.next(std::span<std::int16_t, step>(sound + i * step, step));
    listener ear(trained());
    for (std::size_t i = 0; i < steps; ++i) {
        const scores latest = ear.hear(tensor_view<const std::int16_t, step>(sound + i * step));
        EXPECT_EQ(ear.is_awake(), i + 1 >= tokens);
        if ((i + 1) * step < window_samples || i + 1 <= tokens) continue;
        scores whole;
        recognize(whole, trained(),
                  tensor_view<const std::int16_t, window_samples>(sound + (i + 1) * step - window_samples));
        for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(latest(c), whole(c), 1e-4) << i << ' ' << c;
    }
}

TEST(wake_word, five_minutes_of_conversation) {
    listener ear(trained());
    static conversation talk(99);
    trigger said;
    std::int16_t sound[step];
    std::size_t spoken = 0, alarms = 0;
    for (std::size_t i = 0; i < 5 * 60 * 25; ++i) {
        talk.next(sound);
        alarms += said.of(ear.hear(tensor_view<const std::int16_t, step>(sound))) != 0;
        spoken += talk.ended() != 0;
    }
    EXPECT_GT(spoken, 30u);
    EXPECT_GE(alarms, spoken * 9 / 10);
    EXPECT_LE(alarms, spoken * 12 / 10);
}

// A word is not said twice within 0.8 s; another one is.
TEST(wake_word, another_word_may_follow_at_once) {
    trigger said;
    std::vector<std::size_t> found;
    const auto hear = [&](std::size_t word, std::size_t steps) {
        scores latest = ashlar::zeros<float, classes>();
        latest(word) = 20;
        for (std::size_t i = 0; i < steps; ++i)
            if (const std::size_t now = said.of(latest)) found.push_back(now);
    };
    hear(1, 3);
    hear(0, 2);
    hear(2, 3);  // 0.2 s later
    hear(3, 3);
    EXPECT_EQ(found, (std::vector<std::size_t>{1, 2, 3}));
    hear(1, 3);  // 0.44 s
    EXPECT_EQ(found.size(), 3u);
    hear(0, 20);
    hear(1, 1);
    EXPECT_EQ(found.size(), 3u);  // once is not sure
    hear(1, 30);
    EXPECT_EQ(found, (std::vector<std::size_t>{1, 2, 3, 1}));
}

TEST(wake_word, files_of_sound) {
    const std::vector<std::int16_t> samples{0, 1, -1, 300, -300, 32767, -32768};
    const std::vector<unsigned char> good = wav_of(samples);
    EXPECT_EQ(parse_wav(good).samples, samples);
    EXPECT_EQ(parse_wav(good).error, nullptr);

    // A chunk of odd size before the format is passed over.
    std::vector<unsigned char> more = good;
    const unsigned char note[] = {'L', 'I', 'S', 'T', 3, 0, 0, 0, 'a', 'b', 'c', 0};
    more.insert(more.begin() + 12, std::begin(note), std::end(note));
    EXPECT_EQ(parse_wav(more).samples, samples);

    const auto with = [&](std::size_t at, unsigned char value) {
        std::vector<unsigned char> bytes = good;
        bytes[at] = value;
        const char* const error = parse_wav(bytes).error;
        return std::string(error == nullptr ? "" : error);
    };
    EXPECT_EQ(with(0, 'X'), "this is no WAV file: it does not begin with RIFF and WAVE");
    EXPECT_EQ(with(20, 3), "samples must be PCM, not compressed or floating point");
    EXPECT_EQ(with(22, 2), "there must be one channel: mix stereo down first");
    EXPECT_EQ(with(25, 0x1F), "there must be 16,000 samples a second: resample first");
    EXPECT_EQ(with(34, 8), "samples must have 16 bits");
    EXPECT_EQ(with(40, 200), "the file ends within its samples");
    EXPECT_EQ(with(36, 'D'), "the file has no samples");
    EXPECT_EQ(with(12, 'F'), "the samples come before their format");
    EXPECT_EQ(with(43, 255), "the file ends within its samples");
    for (std::size_t size = 0; size < good.size(); ++size) {
        const sound cut = parse_wav(std::span(good).first(size));
        EXPECT_NE(cut.error, nullptr) << size;
    }
    EXPECT_STREQ(read_wav("examples/wake_word/no such file").error, "the file cannot be opened");
}
