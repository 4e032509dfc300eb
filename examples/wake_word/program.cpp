// SPDX-License-Identifier: BSL-1.0
// Listens for "ashlar", "lintel" and "mortar".
//
//   wake_word                          to an hour of made-up conversation, 40 ms at a time: words recognised,
//                                      how long a step takes, and how often memory is allocated (never)
//   wake_word <minutes>                to so many, at most a day
//   wake_word <file.wav>               to a file of 16 bits, one channel, 16,000 samples a second
//   wake_word --record <seed> <file>   writes ten seconds of that conversation as such a file
//   wake_word --features <seed> <count> <file>   for train_wake_word.py: windows' classes, features, scores
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include <ashlar/io/image.hpp>

#include "../support/counted_allocations.hpp"
#include "../support/wav.hpp"
#include "listener.hpp"
#include "speech.hpp"

// By ashlar_add_image.
extern "C" const unsigned char wake_word_image[ashlar::io::image_bytes<wake_word::model>];

namespace {

using namespace examples;
using namespace wake_word;
inline constexpr std::size_t most_minutes = 24 * 60;
using step_view = ashlar::tensor_view<const std::int16_t, step>;

int listen_to_conversation(const model& weights, std::size_t minutes) {
    const std::size_t steps = minutes * 60 * 25;
    std::vector<float> microseconds(steps);
    static listener ear(weights);
    static conversation talk(2'000);
    static std::int16_t sound[step];
    trigger said;
    std::size_t words = 0, right = 0, wrong = 0, expected = 0, left = 0, heard_early = 0, early_age = 0;
    const std::size_t before = examples::allocations;
    for (std::size_t i = 0; i < steps; ++i) {
        talk.next(sound);
        const auto start = std::chrono::steady_clock::now();
        const std::size_t found = said.of(ear.hear(step_view(sound)));
        const auto taken = std::chrono::steady_clock::now() - start;
        microseconds[i] = std::chrono::duration<float, std::micro>(taken).count();
        // A word counts if it is recognised at most 0.4 s before its end and 0.8 s after it.
        if (found != 0) {
            if (left > 0 && found == expected) {
                ++right;
                left = 0;
            } else {
                wrong += heard_early != 0;
                heard_early = found;
                early_age = 0;
            }
        } else if (heard_early != 0 && ++early_age > 10) {
            ++wrong;
            heard_early = 0;
        }
        if (left > 0) --left;
        if (const std::size_t word = talk.ended()) {
            ++words;
            if (heard_early == word) {
                ++right;
                heard_early = 0;
            } else {
                expected = word;
                left = 20;
            }
        }
    }
    const std::size_t made = examples::allocations - before;
    std::sort(microseconds.begin(), microseconds.end());
    const auto percentile = [&](double share) {
        return static_cast<double>(microseconds[static_cast<std::size_t>(share * static_cast<double>(steps - 1))]);
    };
    std::printf("%zu minutes: %zu of %zu words recognised, %zu alarms by something else\n", minutes, right, words,
                wrong);
    std::printf("a step of 40 ms takes, in us: p50 %.1f, p99 %.1f, p99.9 %.1f, most %.1f\n", percentile(0.5),
                percentile(0.99), percentile(0.999), percentile(1));
    std::printf("%zu allocations\n", made);
    return made == 0 && right * 10 >= words * 9 && wrong <= words / 10 + 2 ? 0 : 1;
}

int listen_to_file(const model& weights, const char* path) {
    const sound file = read_wav(path);
    if (file.error != nullptr) {
        std::fprintf(stderr, "%s: %s\n", path, file.error);
        return 1;
    }
    static listener ear(weights);
    trigger said;
    for (std::size_t first = 0; first < file.samples.size(); first += step) {
        // Silence after the end.
        std::int16_t samples[step]{};
        std::copy_n(file.samples.data() + first, std::min(step, file.samples.size() - first), samples);
        if (const std::size_t word = said.of(ear.hear(step_view(samples))))
            std::printf("%6.2f s  %s\n", static_cast<double>(first + step) / sample_rate, class_names[word]);
    }
    return 0;
}

bool write_file(const char* path, std::span<const std::byte> bytes, const char* mode) {
    std::FILE* const file = std::fopen(path, mode);
    if (file == nullptr) return false;
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    return (std::fclose(file) == 0) & written;
}

int write_recording(std::uint64_t seed, const char* path) {
    static conversation talk(seed);
    std::vector<std::int16_t> samples(250 * step);
    for (std::size_t i = 0; i < 250; ++i) talk.next(std::span<std::int16_t, step>(samples.data() + i * step, step));
    const std::vector<unsigned char> bytes = wav_of(samples);
    return write_file(path, std::as_bytes(std::span(bytes)), "wb") ? 0 : 1;
}

/// One window after the other: its class, its features, and its scores by these weights, as floats.
int write_features(const model& weights, std::uint64_t seed, std::size_t count, const char* path) {
    struct example {
        float label;
        ashlar::tensor<float, window_frames, bands> heard;
        scores found;
    };
    static std::int16_t samples[window_samples];
    std::vector<example> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        all[i].label = static_cast<float>(record(std::span(samples), seed + i));
        const ashlar::tensor_view<const std::int16_t, window_samples> view(samples);
        evaluate(all[i].heard, features(view));
        recognize(all[i].found, weights, view);
    }
    std::vector<float> plain;
    for (const example& e : all) {
        plain.push_back(e.label);
        plain.insert(plain.end(), e.heard.begin(), e.heard.end());
        plain.insert(plain.end(), e.found.begin(), e.found.end());
    }
    return write_file(path, std::as_bytes(std::span(plain)), "wb") ? 0 : 1;
}

bool is_number(const char* text, std::uint64_t& value) {
    const char* const end = text + std::strlen(text);
    const auto [read, error] = std::from_chars(text, end, value);
    return read == end && error == std::errc();
}

}  // namespace

int main(int count, char** arguments) {
    const auto weights = ashlar::io::view_image<model>(std::as_bytes(std::span(wake_word_image)));
    if (!weights) {
        std::fprintf(stderr, "the image is not that of this program's types\n");
        return 1;
    }
    const std::string_view first = count > 1 ? arguments[1] : "";
    std::uint64_t seed = 0, windows = 0, minutes = 60;
    if (first == "--record" && count == 4 && is_number(arguments[2], seed)) return write_recording(seed, arguments[3]);
    if (first == "--features" && count == 5 && is_number(arguments[2], seed) && is_number(arguments[3], windows))
        return write_features(*weights, seed, windows, arguments[4]);
    const bool counts_minutes = count == 2 && is_number(arguments[1], minutes);
    if (count == 1 || (counts_minutes && minutes >= 1 && minutes <= most_minutes))
        return listen_to_conversation(*weights, minutes);
    if (count == 2 && !counts_minutes && !first.empty() && !first.starts_with('-'))
        return listen_to_file(*weights, arguments[1]);
    std::fprintf(stderr,
                 "usage: wake_word [minutes | file.wav | --record seed file.wav | --features seed count file]\n");
    return 2;
}
