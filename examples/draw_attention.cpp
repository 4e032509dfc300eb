// SPDX-License-Identifier: BSL-1.0
// Draws the weights of attention under three masks as an SVG picture: docs/attention.svg, which README shows.
#include <cstddef>
#include <cstdio>
#include <string>

#include <ashlar/ashlar.hpp>

#include "support/check.hpp"

using namespace ashlar;

namespace {

inline constexpr axis<"word", 6> word;
inline constexpr axis<"feature", 3> feature;
using weights = tensor<float, word, word>;

constexpr const char* words[] = {"your", "journey", "starts", "with", "one", "step"};
constexpr tensor<float, word, feature> x{{0.43f, 0.15f, 0.89f}, {0.55f, 0.87f, 0.66f}, {0.57f, 0.85f, 0.64f},
                                         {0.22f, 0.58f, 0.33f}, {0.77f, 0.25f, 0.10f}, {0.05f, 0.80f, 0.55f}};

constexpr int cell = 44, top = 56, margin = 62, gap = 24;

/// Appends formatted text.
template <class... Args>
void print(std::string& to, const char* format, Args... args) {
    char line[256];
    std::snprintf(line, sizeof line, format, args...);
    to += line;
}

/// One square per pair of words. The darker it is, the larger the weight; a dot is a pair that the mask excludes.
void draw(std::string& svg, int panel, const char* title, const weights& w) {
    const int left = margin + panel * (cell * static_cast<int>(word.extent) + gap);
    print(svg, "<text x=\"%d\" y=\"20\" font-family=\"monospace\" font-size=\"11\">%s</text>\n", left, title);
    for (int i = 0; i < static_cast<int>(word.extent); ++i) {
        const int y = top + i * cell;
        print(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", left + i * cell + cell / 2, top - 8,
              words[i]);
        if (panel == 0)
            print(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", left - 8, y + cell / 2 + 4, words[i]);
        for (int j = 0; j < static_cast<int>(word.extent); ++j) {
            const int cell_x = left + j * cell;
            const auto weight = static_cast<double>(w(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
            if (weight == 0) {
                print(svg, "<circle cx=\"%d\" cy=\"%d\" r=\"1.5\" fill=\"#adb5bd\"/>\n", cell_x + cell / 2,
                      y + cell / 2);
                continue;
            }
            print(svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#0b6e99\" fill-opacity=\"%.2f\"/>\n",
                  cell_x + 1, y + 1, cell - 2, cell - 2, weight);
            print(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%.2f</text>\n", cell_x + cell / 2,
                  y + cell / 2 + 4, weight > 0.6 ? "#ffffff" : "#000000", weight);
        }
    }
}

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

}  // namespace

/// `draw_attention` compares the picture with docs/attention.svg; `draw_attention FILE` writes it.
int main(int count, char** arguments) {
    const weights all_pairs = eval(attention_weights(x, x, scale(8.0f)));
    const weights earlier = eval(attention_weights(x, x, scale(8.0f), causal));
    const weights neighbours = eval(attention_weights(x, x, scale(8.0f), sliding_window<1, 1>));

    std::string svg;
    const int width = margin + 3 * cell * static_cast<int>(word.extent) + 2 * gap + 10;
    const int height = top + cell * static_cast<int>(word.extent) + 10;
    print(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" ", width,
          height, width, height);
    svg += "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    draw(svg, 0, "attention(x, x, x)", all_pairs);
    draw(svg, 1, "attention(x, x, x, causal)", earlier);
    draw(svg, 2, "attention(x, x, x, sliding_window&lt;1, 1&gt;)", neighbours);
    svg += "</svg>\n";

    if (count > 1) {
        std::FILE* file = std::fopen(arguments[1], "wb");
        examples::check("the picture is written",
                        file != nullptr && std::fwrite(svg.data(), 1, svg.size(), file) == svg.size());
        if (file != nullptr) std::fclose(file);
        return examples::report();
    }
    examples::check_near("weights of a word sum to 1", sum<1>(earlier), tensor<float, 6>{1, 1, 1, 1, 1, 1}, 1e-6);
    examples::check("docs/attention.svg is this picture", read("docs/attention.svg") == svg);
    return examples::report();
}
