// SPDX-License-Identifier: BSL-1.0
// Writes the weights of attention under three masks; tools/draw_attention.py draws docs/attention.svg from them.
#include <cstddef>
#include <cstdio>
#include <string>

#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/npy_file.hpp"

using namespace ashlar;

namespace {

inline constexpr axis<"word", 6> word;
inline constexpr axis<"feature", 3> feature;
using weights = tensor<float, word, word>;

// Your journey starts with one step.
constexpr tensor<float, word, feature> x{{0.43f, 0.15f, 0.89f}, {0.55f, 0.87f, 0.66f}, {0.57f, 0.85f, 0.64f},
                                         {0.22f, 0.58f, 0.33f}, {0.77f, 0.25f, 0.10f}, {0.05f, 0.80f, 0.55f}};

/// The file's text, or nothing.
std::string read(const char* path) {
    std::string text;
    if (std::FILE* file = std::fopen(path, "rb")) {
        char part[4096];
        while (const std::size_t n = std::fread(part, 1, sizeof part, file)) text.append(part, n);
        std::fclose(file);
    }
    return text;
}

/// The numbers with two decimals in the text of an SVG picture, in order.
std::string numbers_in(const std::string& svg) {
    std::string numbers;
    for (std::size_t end = svg.find("</text>"); end != std::string::npos; end = svg.find("</text>", end + 1)) {
        const std::size_t begin = svg.rfind('>', end - 1) + 1;
        if (end - begin == 4 && svg[begin + 1] == '.') numbers += svg.substr(begin, 4) + ' ';
    }
    return numbers;
}

/// The weights of pairs that a mask keeps, as the picture has them.
std::string numbers_of(const weights& w) {
    std::string numbers;
    for (const float weight : w) {
        char text[16];
        std::snprintf(text, sizeof text, "%.2f ", static_cast<double>(weight));
        if (weight != 0) numbers += text;
    }
    return numbers;
}

}  // namespace

/// `draw_attention FOLDER` writes the weights there; without a folder it compares them with the picture.
int main(int count, char** arguments) {
    const weights all_pairs = eval(attention_weights(x, x, scale(8.0f)));
    const weights earlier = eval(attention_weights(x, x, scale(8.0f), causal));
    const weights neighbours = eval(attention_weights(x, x, scale(8.0f), sliding_window<1, 1>));
    if (count > 1) {
        const std::string folder = arguments[1];
        examples::check("all.npy is written", examples::write_npy(folder + "/all.npy", all_pairs));
        examples::check("causal.npy is written", examples::write_npy(folder + "/causal.npy", earlier));
        examples::check("window.npy is written", examples::write_npy(folder + "/window.npy", neighbours));
        return examples::report();
    }
    examples::check_near("weights of a word sum to 1", sum<1>(earlier), tensor<float, 6>{1, 1, 1, 1, 1, 1}, 1e-6);
    examples::check("docs/attention.svg has these weights",
                    numbers_in(read("docs/attention.svg")) ==
                        numbers_of(all_pairs) + numbers_of(earlier) + numbers_of(neighbours));
    return examples::report();
}
