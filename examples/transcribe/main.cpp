// SPDX-License-Identifier: BSL-1.0
// Writes down what is said in a file of sound, by Moonshine tiny.
//
//   transcribe <model.safetensors> <tokenizer.json> <file.wav>   16 bits, one channel, 16,000 samples a second, 30 s
//   transcribe --measure [seconds]                               1 to 30, of weights by chance
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "../support/counted_allocations.hpp"
#include "../support/wav.hpp"
#include "model.hpp"
#include "transcriber.hpp"
#include "vocabulary.hpp"

namespace {

using namespace transcribe;
using tiny_model = model<tiny>;

// What it takes is known before it runs.
static_assert(transcriber<tiny_model>::scratch_bytes <= 8 * 1024 * 1024 &&
              transcriber<tiny_model>::stack_bytes <= 64 * 1024);

tiny_model weights{};
transcriber<tiny_model>& listener() {
    static transcriber<tiny_model> t(weights);
    return t;
}

/// Speech has six or seven tokens a second at most: a model that says more repeats itself.
std::size_t most_tokens(std::size_t samples) { return std::max<std::size_t>(samples * 13 / 32'000, 1); }

int write_down(const char* model_file, const char* vocabulary_file, const char* sound_file) {
    if (const auto r = load(weights, model_file); !r) {
        std::fprintf(stderr, "transcribe: %s: %s\n", model_file, r.message().c_str());
        return 1;
    }
    vocabulary words;
    if (!words.load(vocabulary_file)) {
        std::fprintf(stderr, "transcribe: %s is missing, or no vocabulary\n", vocabulary_file);
        return 1;
    }
    const examples::sound file = examples::read_wav(sound_file);
    if (file.error != nullptr) {
        std::fprintf(stderr, "transcribe: %s: %s\n", sound_file, file.error);
        return 1;
    }
    auto& t = listener();
    if (!t.hear(file.samples)) {
        std::fprintf(stderr, "transcribe: there must be %zu to %zu samples\n", fewest_samples, t.most_samples);
        return 1;
    }
    std::string text;
    for (std::size_t i = most_tokens(file.samples.size()); i-- > 0;) {
        const int token = t.next();
        if (token == end_of_text) break;
        words.append(text, token);
    }
    std::puts(text.c_str() + text.starts_with(' '));
    return 0;
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int measure(std::size_t seconds) {
    ashlar::nn::init::generator random(1);
    ashlar::nn::init::reset_parameters(weights, random);
    std::vector<std::int16_t> samples(seconds * 16'000);
    std::uint32_t state = 1;
    for (std::int16_t& s : samples) s = static_cast<std::int16_t>((state = state * 1664525u + 1013904223u) >> 18);
    auto& t = listener();
    const std::size_t before = examples::allocations;
    double hearing = 1e30, saying = 1e30;
    std::size_t tokens = 0;
    for (int pass = 0; pass < 5; ++pass) {
        auto start = std::chrono::steady_clock::now();
        if (!t.hear(samples)) return 2;
        hearing = std::min(hearing, milliseconds_since(start));
        start = std::chrono::steady_clock::now();
        for (tokens = 0; tokens < most_tokens(samples.size()) && t.next() != end_of_text;) ++tokens;
        saying = std::min(saying, milliseconds_since(start) / static_cast<double>(std::max<std::size_t>(tokens, 1)));
    }
    std::printf("%zu s of sound: %.1f ms to hear, %.2f ms for each of %zu tokens\n", seconds, hearing, saying, tokens);
    std::printf("%zu parameters, %zu bytes of scratch, %zu of stack, %zu bytes of state\n",
                ashlar::nn::parameter_count<tiny_model>, transcriber<tiny_model>::scratch_bytes,
                transcriber<tiny_model>::stack_bytes, sizeof(transcriber<tiny_model>));
    const std::size_t made = examples::allocations - before;
    std::printf("%zu allocations\n", made);
    return made == 0 ? 0 : 1;
}

/// Whole seconds of sound that a model hears, or 0.
std::size_t seconds_of(std::string_view text) {
    constexpr std::size_t most = 30;
    std::size_t seconds = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, seconds);
    return read == end && error == std::errc() && seconds <= most ? seconds : 0;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    const std::size_t seconds = count == 3 ? seconds_of(arguments[2]) : 10;
    if (first == "--measure" && count <= 3 && seconds != 0) return measure(seconds);
    if (count == 4) return write_down(arguments[1], arguments[2], arguments[3]);
    std::fputs("usage: transcribe model.safetensors tokenizer.json file.wav | --measure [seconds]\n", stderr);
    return 2;
}
