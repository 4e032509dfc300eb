// SPDX-License-Identifier: BSL-1.0
// Moonshine in double, by its formulas alone: nothing of the library but the arrays that hold weights, and those by the
// names that files have.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace moonshine_reference {

/// Rows of numbers.
struct matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> values;

    matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
    double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

/// The arrays of a file, row by row.
using weights = std::map<std::string, std::vector<double>>;

inline double gelu(double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }
inline double silu(double x) { return x / (1 + std::exp(-x)); }

/// x W' + b, W [out, in] as files have it; b may be empty.
inline matrix linear(const matrix& x, const std::vector<double>& w, const std::vector<double>& b = {}) {
    matrix y(x.rows, w.size() / x.columns);
    for (std::size_t i = 0; i < y.rows; ++i)
        for (std::size_t o = 0; o < y.columns; ++o) {
            double sum = b.empty() ? 0 : b[o];
            for (std::size_t k = 0; k < x.columns; ++k) sum += x(i, k) * w[o * x.columns + k];
            y(i, o) = sum;
        }
    return y;
}
/// A convolution along the rows of x, W [out, channels, kernel].
inline matrix convolution(const matrix& x, const std::vector<double>& w, const std::vector<double>& b,
                          std::size_t kernel, std::size_t stride) {
    const std::size_t channels = x.columns;
    matrix y((x.rows - kernel) / stride + 1, w.size() / channels / kernel);
    for (std::size_t t = 0; t < y.rows; ++t)
        for (std::size_t o = 0; o < y.columns; ++o) {
            double sum = b.empty() ? 0 : b[o];
            for (std::size_t c = 0; c < channels; ++c)
                for (std::size_t k = 0; k < kernel; ++k)
                    sum += x(t * stride + k, c) * w[(o * channels + c) * kernel + k];
            y(t, o) = sum;
        }
    return y;
}
inline matrix layer_norm(const matrix& x, const std::vector<double>& w) {
    matrix y = x;
    const auto count = static_cast<double>(x.columns);
    for (std::size_t i = 0; i < x.rows; ++i) {
        double mean = 0, variance = 0;
        for (std::size_t j = 0; j < x.columns; ++j) mean += x(i, j) / count;
        for (std::size_t j = 0; j < x.columns; ++j) variance += (x(i, j) - mean) * (x(i, j) - mean) / count;
        for (std::size_t j = 0; j < x.columns; ++j) y(i, j) = (x(i, j) - mean) / std::sqrt(variance + 1e-5) * w[j];
    }
    return y;
}
/// One group: mean and variance of all rows and channels.
inline matrix group_norm(const matrix& x, const std::vector<double>& w, const std::vector<double>& b) {
    matrix y = x;
    const auto count = static_cast<double>(x.values.size());
    double mean = 0, variance = 0;
    for (const double v : x.values) mean += v / count;
    for (const double v : x.values) variance += (v - mean) * (v - mean) / count;
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < x.columns; ++j)
            y(i, j) = (x(i, j) - mean) / std::sqrt(variance + 1e-5) * w[j] + b[j];
    return y;
}
template <class Function>
matrix each(matrix x, Function f) {
    for (double& v : x.values) v = f(v);
    return x;
}
inline matrix plus(matrix x, const matrix& y) {
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
    return x;
}

/// Neighbours 2 i and 2 i + 1 of the first `rotated` entries of each head, turned by position / 10000^(2 i / rotated).
inline void rotate(matrix& x, std::size_t heads, std::size_t rotated) {
    const std::size_t width = x.columns / heads;
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < rotated / 2; ++i) {
                const double angle = static_cast<double>(t) *
                                     std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(rotated));
                double &a = x(t, h * width + 2 * i), &b = x(t, h * width + 2 * i + 1);
                const double c = std::cos(angle), s = std::sin(angle), turned = a * c - b * s;
                b = b * c + a * s;
                a = turned;
            }
}

struct model {
    weights w;
    std::size_t heads, layers, rotated;

    const std::vector<double>& at(const std::string& name) const { return w.at(name); }

    /// Attention of x to y by the four matrices at a name; positions are those of self attention.
    matrix attention(const std::string& name, const matrix& x, const matrix& y, bool self, bool causal) const {
        matrix q = linear(x, at(name + ".q_proj.weight")), k = linear(y, at(name + ".k_proj.weight"));
        const matrix v = linear(y, at(name + ".v_proj.weight"));
        if (self) {
            rotate(q, heads, rotated);
            rotate(k, heads, rotated);
        }
        matrix all(x.rows, x.columns);
        const std::size_t width = x.columns / heads;
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < x.rows; ++i) {
                const std::size_t keys = causal ? i + 1 : y.rows;
                std::vector<double> score(keys);
                for (std::size_t j = 0; j < keys; ++j) {
                    for (std::size_t d = 0; d < width; ++d) score[j] += q(i, h * width + d) * k(j, h * width + d);
                    score[j] /= std::sqrt(static_cast<double>(width));
                }
                const double most = *std::max_element(score.begin(), score.end());
                double sum = 0;
                for (double& s : score) sum += s = std::exp(s - most);
                for (std::size_t d = 0; d < width; ++d)
                    for (std::size_t j = 0; j < keys; ++j)
                        all(i, h * width + d) += score[j] / sum * v(j, h * width + d);
            }
        return linear(all, at(name + ".o_proj.weight"));
    }

    /// The encoder's states of samples, which are divided by 32,768.
    matrix encode(const std::int16_t* samples, std::size_t count) const {
        matrix x(count, 1);
        for (std::size_t i = 0; i < count; ++i) x(i, 0) = samples[i] / 32768.0;
        const std::string stem = "model.encoder.";
        x = each(convolution(x, at(stem + "conv1.weight"), {}, 127, 64), [](double v) { return std::tanh(v); });
        x = group_norm(x, at(stem + "groupnorm.weight"), at(stem + "groupnorm.bias"));
        x = each(convolution(x, at(stem + "conv2.weight"), at(stem + "conv2.bias"), 7, 3), gelu);
        x = each(convolution(x, at(stem + "conv3.weight"), at(stem + "conv3.bias"), 3, 2), gelu);
        for (std::size_t i = 0; i < layers; ++i) {
            const std::string layer = "model.encoder.layers." + std::to_string(i);
            const matrix h = layer_norm(x, at(layer + ".input_layernorm.weight"));
            x = plus(x, attention(layer + ".self_attn", h, h, true, false));
            const matrix g = layer_norm(x, at(layer + ".post_attention_layernorm.weight"));
            x = plus(x, linear(each(linear(g, at(layer + ".mlp.fc1.weight"), at(layer + ".mlp.fc1.bias")), gelu),
                               at(layer + ".mlp.fc2.weight"), at(layer + ".mlp.fc2.bias")));
        }
        return layer_norm(x, at("model.encoder.layer_norm.weight"));
    }

    /// The decoder's states of tokens over the encoder's, all of them anew: nothing is remembered.
    matrix decode(const std::vector<int>& tokens, const matrix& heard) const {
        const std::vector<double>& table = at("model.decoder.embed_tokens.weight");
        matrix x(tokens.size(), heard.columns);
        for (std::size_t t = 0; t < x.rows; ++t)
            for (std::size_t j = 0; j < x.columns; ++j)
                x(t, j) = table[static_cast<std::size_t>(tokens[t]) * x.columns + j];
        for (std::size_t i = 0; i < layers; ++i) {
            const std::string layer = "model.decoder.layers." + std::to_string(i);
            const matrix h = layer_norm(x, at(layer + ".input_layernorm.weight"));
            x = plus(x, attention(layer + ".self_attn", h, h, true, true));
            const matrix a = layer_norm(x, at(layer + ".post_attention_layernorm.weight"));
            x = plus(x, attention(layer + ".encoder_attn", a, heard, false, false));
            const matrix g = layer_norm(x, at(layer + ".final_layernorm.weight"));
            // The first half of fc1 is gated by the second.
            const matrix both = linear(g, at(layer + ".mlp.fc1.weight"), at(layer + ".mlp.fc1.bias"));
            matrix gated(both.rows, both.columns / 2);
            for (std::size_t t = 0; t < gated.rows; ++t)
                for (std::size_t j = 0; j < gated.columns; ++j)
                    gated(t, j) = both(t, j) * silu(both(t, gated.columns + j));
            x = plus(x, linear(gated, at(layer + ".mlp.fc2.weight"), at(layer + ".mlp.fc2.bias")));
        }
        return layer_norm(x, at("model.decoder.norm.weight"));
    }

    /// The likeliest token behind a state, and by how much it is the likeliest.
    std::pair<int, double> best(const matrix& states, std::size_t row) const {
        const std::vector<double>& table = at("model.decoder.embed_tokens.weight");
        const std::size_t width = states.columns;
        int token = 0;
        double first = -1e300, second = -1e300;
        for (std::size_t v = 0; v < table.size() / width; ++v) {
            double score = 0;
            for (std::size_t j = 0; j < width; ++j) score += states(row, j) * table[v * width + j];
            if (score > first) {
                second = first;
                first = score;
                token = static_cast<int>(v);
            } else if (score > second) {
                second = score;
            }
        }
        return {token, first - second};
    }
};

}  // namespace moonshine_reference
