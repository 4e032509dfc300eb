// SPDX-License-Identifier: BSL-1.0
// The storyteller of examples/stories as a WebAssembly module: the page passes files as bytes and gets one token at a
// time.
#include <cstddef>
#include <cstdlib>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../stories/model.hpp"
#include "../stories/sampler.hpp"
#include "../stories/tokenizer.hpp"

#define EXPORT(name) extern "C" __attribute__((export_name(#name), used))

namespace {

using model = stories::model<stories::stories260k>;

model weights;
stories::tokenizer words;
stories::session<model> story(weights);
stories::sampler choose(0, 0.9f, 1);
std::vector<int> prompt;
std::string text;  // what a function returns
int token = 0;
std::size_t told = 0;

}  // namespace

// Running out of memory ends the module: without exceptions it cannot report an error.
void* operator new(std::size_t size) {
    if (void* p = std::malloc(size)) return p;
    __builtin_trap();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

/// Memory for the page's bytes.
EXPORT(take_memory) void* take_memory(std::size_t size) { return std::malloc(size); }
EXPORT(give_memory) void give_memory(void* p) { std::free(p); }

/// Loads the weights from a safetensors file, and the tokens from a tokenizer's. Returns an empty text, or the error.
EXPORT(load_weights) const char* load_weights(const std::byte* bytes, std::size_t size) {
    const auto r = stories::load(weights, std::span(bytes, size));
    text = r ? "" : r.message().c_str();
    return text.c_str();
}
EXPORT(load_tokens) const char* load_tokens(const char* bytes, std::size_t size) {
    return words.parse({bytes, size}, model::vocabulary) ? "" : "this is no tokenizer of 512 tokens";
}

/// Starts a story with a prompt. Returns false if the prompt is longer than the model's context.
EXPORT(begin) bool begin(const char* characters, std::size_t size, float temperature, float top_p, unsigned seed) {
    prompt = words.encode({characters, size});
    story.clear();
    choose = stories::sampler(temperature, top_p, seed);
    token = prompt[0];
    told = 0;
    return prompt.size() < model::context;
}

/// Computes a token and returns its text, or null at the end of the story.
EXPORT(next) const char* next() {
    if (told + 1 >= model::context) return nullptr;
    const auto& scores = story.next(token);
    const int following = told + 1 < prompt.size() ? prompt[told + 1] : choose(scores);
    if (following == stories::tokenizer::begin_of_text || following == stories::tokenizer::end_of_text) return nullptr;
    text = words.decode(token, following);
    token = following;
    ++told;
    return text.c_str();
}

EXPORT(parameters) std::size_t parameters() { return ashlar::nn::parameter_count<model>; }
EXPORT(scratch_bytes) std::size_t scratch_bytes() { return stories::session<model>::scratch_size(); }
