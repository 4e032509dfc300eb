// SPDX-License-Identifier: BSL-1.0
// Serves sentences of any length by one model with a capacity of 128 tokens, in three types of weights: a Hugging Face
// file in, one vector per sentence out; how long that takes, and how near the vectors are to those of floats.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "model.hpp"

namespace {

using namespace sentences;

encoder<float> floats;  // 4 bytes for each weight, of which the file's bits are kept; the others are compared to it
encoder<bf16> halves;   // 2 bytes, the upper half of a float, rounded; products and sums are of floats
encoder<smoothed<std::int8_t>> bytes;  // 1 byte, and a scale for each output; products are of integers, of rows rounded
                                       // likewise; smoothed, as activations of trained models have outliers

/// Weights by chance, as a file in memory.
std::vector<std::byte> file_by_chance() {
    nn::init::generator random(1);
    nn::init::reset_parameters(floats, random);
    std::vector<std::byte> file(
        static_cast<std::size_t>(io::save(floats, std::span<std::byte>(), io::bert_names).position));
    if (!io::save(floats, file, io::bert_names)) std::abort();
    return file;
}

double microseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

/// Prints for a few lengths the least time of some turns and the cosine to the vector of floats; whether no cosine is
/// less than it should be.
template <class Weight>
bool measure(const char* type, const encoder<Weight>& model, int turns, float least_cosine) {
    const auto tokens = generate<int, capacity>([](std::size_t i) { return static_cast<int>(1000 + 97 * i); });
    bool all_near = true;
    for (const int n : {1, 8, 128}) {
        const float cosine = eval(sum(model(tokens, n) * floats(tokens, n)))();
        double best = 1e30;
        for (int i = 0; i < turns; ++i) {
            const auto start = std::chrono::steady_clock::now();
            model(tokens, n);
            best = std::min(best, microseconds_since(start));
        }
        const bool is_near = cosine >= least_cosine;
        std::printf("%-5s %4d tokens %8.0f microseconds, cosine %.6f%s\n", type, n, best, static_cast<double>(cosine),
                    is_near ? "" : ", which is too small");
        all_near = all_near && is_near;
    }
    return all_near;
}

/// Cosines between sentences of several lengths, which are encoded at once.
void compare_sentences() {
    constexpr std::size_t batch = 4;
    const tensor<int, batch> lengths{128, 100, 37, 5};
    const auto tokens = generate<int, batch, capacity>(
        [](std::size_t s, std::size_t i) { return static_cast<int>(1000 + 97 * i + s); });
    const auto vectors = floats(tokens, lengths);
    const tensor<float, batch, batch> cosines = matmul(vectors, transpose(vectors));
    std::puts("cosines between the sentences:");
    for (std::size_t i = 0; i < batch; ++i) {
        for (std::size_t j = 0; j < batch; ++j) std::printf(" %7.4f", static_cast<double>(cosines(i, j)));
        std::puts("");
    }
}

}  // namespace

int main(int argc, char** argv) {
    const char* path = nullptr;
    int turns = 20;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--turns" && i + 1 < argc)
            turns = std::atoi(argv[++i]);
        else if (path == nullptr && argv[i][0] != '-')
            path = argv[i];
        else
            turns = 0;
    }
    if (turns < 1) {
        std::puts("encoder [--turns <n>] [model.safetensors]\n"
                  "  a BERT of 6 layers, 384 wide, as Hugging Face saves it; without it, random weights\n"
                  "  the least time of n turns counts, 20 unless given");
        return argc == 2 && std::string_view(argv[1]) == "--help" ? 0 : 2;
    }
    std::vector<std::byte> by_chance;
    if (path == nullptr) by_chance = file_by_chance();
    const io::source file = path != nullptr ? io::source(path) : io::source(by_chance);
    for (const io::result& r : {load(floats, file), load(halves, file), load(bytes, file)}) {
        if (r) continue;
        std::fprintf(stderr, "encoder: %s: %s\n", path != nullptr ? path : "random weights", r.message().c_str());
        return 1;
    }

    static tensor<float, capacity, embed> x;
    std::puts(nn::summary<decltype(floats.stack), decltype(x)>().c_str());
    std::puts(explain(floats.stack.layers[0](x, keys_below(8)), rows_below(8)).c_str());
    const bool are_near[] = {measure("float", floats, turns, 0.9999f), measure("bf16", halves, turns, 0.9999f),
                             measure("int8", bytes, turns, 0.995f)};
    compare_sentences();
    return std::ranges::all_of(are_near, std::identity()) ? 0 : 1;
}
