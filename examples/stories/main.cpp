// SPDX-License-Identifier: BSL-1.0
// Tells a story: a trained decoder with static shapes, a cache of keys and values, and no allocation while it talks.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "model.hpp"
#include "sampler.hpp"
#include "tokenizer.hpp"

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace {

std::size_t allocations = 0;

struct arguments {
    std::string folder;
    std::string prompt;
    std::size_t steps = 256;
    float temperature = 0, top_p = 0.9f;
    std::uint32_t seed = 1;
    bool stats = false;
};

void print_usage() {
    std::puts("stories [option...]\n"
              "  --model <folder>     with stories260K.safetensors and tok512.bin; default $ASHLAR_MODELS/stories260k\n"
              "  --prompt <text>      how the story begins\n"
              "  --steps <n>          tokens at most, 256\n"
              "  --temperature <t>    0 tells the most likely story; 1 as the model was trained\n"
              "  --top-p <p>          only the most likely tokens that sum up to p, 0.9\n"
              "  --seed <n>           of the random numbers, 1\n"
              "  --stats              tokens per second, scratch, heap allocations");
}

/// False for what is no option.
bool parse(int count, char** words, arguments& a) {
    if (const char* models = std::getenv("ASHLAR_MODELS")) a.folder = std::string(models) + "/stories260k";
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--stats") {
            a.stats = true;
            continue;
        }
        if (i + 1 == count) return false;
        const char* const value = words[++i];
        char* end = nullptr;
        if (word == "--model")
            a.folder = value;
        else if (word == "--prompt")
            a.prompt = value;
        else if (word == "--steps")
            a.steps = std::strtoul(value, &end, 10);
        else if (word == "--temperature")
            a.temperature = std::strtof(value, &end);
        else if (word == "--top-p")
            a.top_p = std::strtof(value, &end);
        else if (word == "--seed")
            a.seed = static_cast<std::uint32_t>(std::strtoul(value, &end, 10));
        else
            return false;
        if (end != nullptr && (*end != '\0' || end == value)) return false;
    }
    return true;
}

using model = stories::model<stories::stories260k>;

/// Seconds that reading every parameter once takes: no token can take less.
double seconds_to_read(const model& weights) {
    constexpr std::size_t count = sizeof(model) / sizeof(float);
    const ashlar::tensor_view<const float, count> all(reinterpret_cast<const float*>(&weights));
    double best = 1;
    for (int i = 0; i < 50; ++i) {
        const auto start = std::chrono::steady_clock::now();
        [[maybe_unused]] volatile float sum = ashlar::eval(ashlar::sum(all))();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

/// Whether somebody reads along, word by word; a file or another program takes the text in larger pieces.
bool is_watched() {
#if __has_include(<unistd.h>)
    return isatty(STDOUT_FILENO) != 0;
#else
    return true;
#endif
}

}  // namespace

void* operator new(std::size_t size) {
    ++allocations;
    if (void* p = std::malloc(size)) return p;
    std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

int main(int argc, char** argv) {
    arguments options;
    if (!parse(argc, argv, options)) {
        print_usage();
        return 2;
    }
    if (options.folder.empty()) {
        std::fputs("stories: no model; give --model <folder> or set ASHLAR_MODELS\n", stderr);
        print_usage();
        return 2;
    }

    static model weights;
    const std::string file = options.folder + "/stories260K.safetensors";
    if (const auto r = stories::load(weights, file); !r) {
        std::fprintf(stderr, "stories: %s: %s\n", file.c_str(), r.message().c_str());
        return 1;
    }
    static stories::tokenizer words;
    if (!words.load((options.folder + "/tok512.bin").c_str(), model::vocabulary)) {
        std::fprintf(stderr, "stories: %s/tok512.bin is missing, or no tokenizer\n", options.folder.c_str());
        return 1;
    }

    const std::vector<int> prompt = words.encode(options.prompt);
    if (prompt.size() >= model::context) {
        std::fprintf(stderr, "stories: the prompt has %zu tokens, the model's context %zu\n", prompt.size(),
                     model::context);
        return 1;
    }
    static stories::session<model> story(weights);
    stories::sampler choose(options.temperature, options.top_p, options.seed);
    const std::size_t steps = std::min(options.steps, model::context - 1);
    const std::size_t before = allocations;
    const auto start = std::chrono::steady_clock::now();

    const bool watched = is_watched();
    std::size_t told = 0;
    for (int token = prompt[0]; told < steps; ++told) {
        const auto& scores = story.next(token);
        const int next = told + 1 < prompt.size() ? prompt[told + 1] : choose(scores);
        if (next == stories::tokenizer::begin_of_text || next == stories::tokenizer::end_of_text) break;
        const std::string_view text = words.decode(token, next);
        std::fwrite(text.data(), 1, text.size(), stdout);
        if (watched) std::fflush(stdout);
        token = next;
    }
    std::puts("");

    if (options.stats) {
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::printf("%.0f tokens per second (reading the weights alone would allow %.0f)\n",
                    static_cast<double>(told) / seconds, 1 / seconds_to_read(weights));
        std::printf("%zu parameters, %zu bytes of scratch for a token, %zu bytes of keys and values\n",
                    ashlar::nn::parameter_count<model>, story.scratch_size(), sizeof(model::cache));
        std::printf("heap allocations: %zu\n", allocations - before);
    }
}
