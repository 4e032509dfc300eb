// SPDX-License-Identifier: BSL-1.0
// Attention with rotated queries and keys and with learnt numbers for distances, by what a state dict holds, in double.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <tests/nn/state.hpp>

#include <ashlar/nn.hpp>

namespace state {

using namespace ashlar;
using reference::of;

/// Heads of rows, one row after the other in double: [rows, heads * width], rotated if the options say so.
[[gnu::noinline]] inline array rotated(array rows, std::size_t heads, const nn::rope_options& rope,
                                       std::size_t first = 0) {
    if (rope.positions.value == 0) return rows;
    const std::size_t count = rows.extents[0], all = rows.extents[1], width = all / heads;
    const std::size_t turned = rope.rotated.value != 0 ? rope.rotated.value : width;
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < turned / 2; ++i) {
                const bool halves = rope.pairs == nn::pair_order::halves;
                const double angle = static_cast<double>(first + r) / rope.stretch *
                                     std::pow(rope.base, -2.0 * static_cast<double>(i) / static_cast<double>(turned));
                double& a = rows.values[r * all + h * width + (halves ? i : 2 * i)];
                double& b = rows.values[r * all + h * width + (halves ? i + turned / 2 : 2 * i + 1)];
                const double turned_a = a * std::cos(angle) - b * std::sin(angle);
                b = b * std::cos(angle) + a * std::sin(angle);
                a = turned_a;
            }
    return rows;
}

/// Whether query i keeps key j, and what is added to the score of query i and key j of a head.
using kept_pairs = std::function<bool(std::size_t, std::size_t)>;
using score_terms = std::function<double(std::size_t, std::size_t, std::size_t)>;

/// Attention of rows [T, width] and [S, width]. Compiled once, not for each module.
[[gnu::noinline]] inline array attended_rows(const dict& d, const attention_shape& s, std::size_t width,
                                             const nn::rope_options& rope, const score_terms& added, const array& x,
                                             const array& memory, const kept_pairs& kept) {
    const std::size_t q_width = s.heads * width, k_width = s.kv_heads * width;
    const auto projected = [&](const array& rows, const char* name, std::size_t piece, std::size_t columns) {
        const bool stacked = d.contains("in_proj_weight");
        const array weight = stacked ? state::rows(d.at("in_proj_weight"), piece * q_width, columns)
                                     : d.at(std::string(name) + "_proj_weight");
        const array bias = state::rows(d.at("in_proj_bias"), piece == 0 ? 0 : q_width + (piece - 1) * k_width, columns);
        return state::product(rows, weight, &bias);
    };
    const array q = rotated(projected(x, "q", 0, q_width), s.heads, rope);
    const array k = rotated(projected(memory, "k", 1, k_width), s.kv_heads, rope);
    const array v = projected(memory, "v", 2, k_width);
    const std::size_t queries = x.extents[0], keys = memory.extents[0];
    array heads = reference::make({queries, q_width});
    for (std::size_t h = 0; h < s.heads; ++h) {
        const std::size_t of_keys = h / (s.heads / s.kv_heads) * width;
        for (std::size_t i = 0; i < queries; ++i) {
            std::vector<double> weights(keys, 0.0);
            double total = 0;
            for (std::size_t j = 0; j < keys; ++j) {
                if (!kept(i, j)) continue;
                double score = 0;
                for (std::size_t c = 0; c < width; ++c)
                    score += q.values[i * q_width + h * width + c] * k.values[j * k_width + of_keys + c];
                total += weights[j] = std::exp(score / std::sqrt(static_cast<double>(width)) + added(i, j, h));
            }
            for (std::size_t j = 0; j < keys; ++j)
                for (std::size_t c = 0; c < width; ++c)
                    heads.values[i * q_width + h * width + c] +=
                        (total > 0 ? weights[j] / total : 0) * v.values[j * k_width + of_keys + c];
        }
    }
    return state::product(heads, d.at("out_proj.weight"), &d.at("out_proj.bias"));
}
/// By what the state dict of a module holds.
template <nn::attention_options Options>
array attended(const nn::multihead_attention<Options>& module, const array& x, const array& memory,
               const kept_pairs& kept) {
    using type = nn::multihead_attention<Options>;
    const auto added = [&](std::size_t i, std::size_t j, std::size_t h) -> double {
        if constexpr (type::has_relative_positions)
            return static_cast<double>(
                module.relative_attention_bias.weight(decltype(type::relative_attention_bias)::bucket(i, j), h));
        else
            return 0;
    };
    return attended_rows(state::of(module), {type::embed, type::heads, type::kv_heads}, type::head_width, Options.rope,
                         added, x, memory, kept);
}
inline constexpr auto keep_all = [](std::size_t, std::size_t) { return true; };
inline constexpr auto keep_causal = [](std::size_t i, std::size_t j) { return j <= i; };

/// A layer of an encoder with such attention.
template <nn::encoder_layer_options Options, class Kept>
array encoded(const nn::encoder_layer<Options>& layer, const array& x, const Kept& kept) {
    const state::dict d = state::of(layer);
    const auto normed = [&](const char* name, const array& y) { return state::layer_norm(d, name, y); };
    const auto mixed = [&](const array& y) { return attended(layer.self_attn, y, y, kept); };
    const auto block = [&](const array& y) { return state::feed_forward(d, "", Options.activation, y); };
    if (Options.norm_first) {
        const array h = reference::add(x, mixed(normed("norm1", x)));
        return reference::add(h, block(normed("norm2", h)));
    }
    const array h = normed("norm1", reference::add(x, mixed(x)));
    return normed("norm2", reference::add(h, block(h)));
}

}  // namespace state
