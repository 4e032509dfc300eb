// SPDX-License-Identifier: BSL-1.0
// Modules with random parameters, and the same layers as naive loops over what weight files would hold.
#pragma once

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <tests/support/differential.hpp>
#include <tests/support/random.hpp>
#include <tests/support/reference.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/nn/layers/activation.hpp>

namespace state {

using reference::array;

/// Weights of norms are close to 1. Compiled once, not for each module.
[[gnu::noinline]] inline void randomise_parameter(const ashlar::nn::parameter& p, support::random_numbers& random,
                                                  double deviation) {
    const bool norm = p.rank == 1 && p.name.find("norm") != p.name.npos && p.name.ends_with("weight");
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double x = (norm ? 1 : 0) + deviation * random.normal_number();
        if (p.kind == ashlar::nn::element_kind::f64)
            static_cast<double*>(p.data)[i] = x;
        else if (p.kind == ashlar::nn::element_kind::bf16)
            static_cast<ashlar::bf16*>(p.data)[i] = ashlar::bf16(static_cast<float>(x));
        else if (p.kind == ashlar::nn::element_kind::f16)
            static_cast<ashlar::f16*>(p.data)[i] = ashlar::f16(static_cast<float>(x));
        else if (p.kind == ashlar::nn::element_kind::f32)
            static_cast<float*>(p.data)[i] = static_cast<float>(x);
        else
            ADD_FAILURE() << p.name << " holds no floating-point numbers";
    }
}

/// Fills every array with normal numbers.
template <class M>
void randomise(M& m, std::uint32_t seed = 1, double deviation = 0.3) {
    support::random_numbers random(seed);
    ashlar::nn::for_each_parameter(m,
                                   [&](const ashlar::nn::parameter& p) { randomise_parameter(p, random, deviation); });
}

/// What a weight file of a module would hold, by name.
using dict = std::map<std::string, array>;

[[gnu::noinline]] inline void copy_parameter(dict& to, const ashlar::nn::const_parameter& p) {
    array& a = to[std::string(p.name)];
    if (a.extents.empty())
        a = reference::make({p.extents.begin(), p.extents.begin() + static_cast<std::ptrdiff_t>(p.rank)});
    for (std::size_t r = 0; r < p.rows; ++r)
        for (std::size_t c = 0; c < p.columns; ++c)
            a.values[(p.first_row + r) * p.columns + c] = [&, at = p.offset(r, c)]() -> double {
                switch (p.kind) {
                case ashlar::nn::element_kind::f64: return static_cast<const double*>(p.data)[at];
                case ashlar::nn::element_kind::bf16:
                    return static_cast<double>(static_cast<const ashlar::bf16*>(p.data)[at]);
                default: return static_cast<double>(static_cast<const float*>(p.data)[at]);
                }
            }();
}
template <class M>
dict of(const M& m) {
    dict result;
    ashlar::nn::for_each_parameter(m, [&](const ashlar::nn::const_parameter& p) { copy_parameter(result, p); });
    return result;
}

/// Some rows of a matrix or vector.
inline array rows(const array& a, std::size_t first, std::size_t count) {
    array result = a;
    const std::size_t length = a.size() / a.extents[0];
    result.extents[0] = count;
    result.values.assign(a.values.begin() + static_cast<std::ptrdiff_t>(first * length),
                         a.values.begin() + static_cast<std::ptrdiff_t>((first + count) * length));
    return result;
}

/// x Wᵀ + b, PyTorch's linear.
inline array product(const array& x, const array& weight, const array* bias = nullptr) {
    const array y = reference::matmul(x, reference::transpose(weight));
    return bias == nullptr ? y : reference::add(y, *bias);
}
inline const array* find(const dict& d, const std::string& name) {
    const auto found = d.find(name);
    return found == d.end() ? nullptr : &found->second;
}
inline array linear(const dict& d, const std::string& path, const array& x) {
    return product(x, d.at(path + ".weight"), find(d, path + ".bias"));
}
inline array layer_norm(const dict& d, const std::string& path, const array& x, double eps = 1e-5) {
    const array& weight = d.at(path + ".weight");
    const array* bias = find(d, path + ".bias");
    return reference::layer_norm(x, weight, bias == nullptr ? reference::make(weight.extents) : *bias, eps);
}
inline array rms_norm(const dict& d, const std::string& path, const array& x, double eps) {
    return reference::rms_norm(x, d.at(path + ".weight"), eps);
}

inline array activate(ashlar::nn::activation kind, const array& x) {
    using ashlar::nn::activation;
    return reference::map(x, [&](double e) {
        switch (kind) {
        case activation::relu: return reference::relu(e);
        case activation::gelu: return reference::gelu(e);
        case activation::gelu_tanh: return reference::gelu_tanh(e);
        case activation::silu: return reference::silu(e);
        case activation::sigmoid: return reference::sigmoid(e);
        case activation::tanh: return std::tanh(e);
        case activation::softplus: return std::log1p(std::exp(e));
        case activation::leaky_relu: return e > 0 ? e : 0.01 * e;
        case activation::elu: return e > 0 ? e : std::expm1(e);
        case activation::hard_sigmoid: return std::clamp(e / 6 + 0.5, 0.0, 1.0);
        case activation::hard_swish: return e * std::clamp(e / 6 + 0.5, 0.0, 1.0);
        case activation::mish: return e * std::tanh(std::log1p(std::exp(e)));
        default: return e;
        }
    });
}

/// [..., T, heads * width] as [..., heads, T, width].
inline array split_heads(array x, std::size_t heads) {
    const std::size_t width = x.extents.back() / heads;
    x.extents.back() = heads;
    x.extents.push_back(width);
    std::vector<std::size_t> order(x.rank());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::swap(order[order.size() - 3], order[order.size() - 2]);
    return reference::permute(x, order);
}
inline array merge_heads(const array& x) {
    std::vector<std::size_t> order(x.rank());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::swap(order[order.size() - 3], order[order.size() - 2]);
    array y = reference::permute(x, order);
    const std::size_t width = y.extents.back();
    y.extents.pop_back();
    y.extents.back() *= width;
    return y;
}
/// Each head repeated for a group of queries' heads.
inline array repeat_heads(const array& x, std::size_t times) {
    array y = x;
    const std::size_t axis = x.rank() - 3;
    y.extents[axis] *= times;
    y = reference::make(y.extents);
    for (std::size_t i = 0; i < y.size(); ++i) {
        reference::index c = reference::coordinates(y.extents, i);
        c[axis] /= times;
        y.values[i] = reference::at(x, c);
    }
    return y;
}

/// Whether query i keeps key j, for scores at some coordinates.
using keeps = std::function<bool(const reference::index&)>;
inline bool keeps_all(const reference::index&) { return true; }
inline bool keeps_causal(const reference::index& c) { return c[c.size() - 1] <= c[c.size() - 2]; }

struct attention_shape {
    std::size_t embed, heads, kv_heads;
};
struct attention_result {
    array output, weights;
};
/// What becomes of projected heads before the scores: nothing, unless a rotation is wanted.
using head_map = std::function<array(const array&)>;

inline attention_result attention(
    const dict& d, const std::string& path, attention_shape s, const array& q, const array& k, const array& v,
    const keeps& kept = keeps_all, const head_map& turned = [](const array& x) { return x; }) {
    const auto project = [&](std::size_t which, const array& x) {
        const std::string names[]{"q", "k", "v"};
        if (const array* packed = find(d, path + "in_proj_weight")) {
            const std::size_t size = packed->extents[0] / 3;
            const array weight = rows(*packed, which * size, size);
            const array* all = find(d, path + "in_proj_bias");
            if (all == nullptr) return product(x, weight);
            const array bias = rows(*all, which * size, size);
            return product(x, weight, &bias);
        }
        if (const array* own = find(d, path + names[which] + "_proj_weight")) {
            const array* all = find(d, path + "in_proj_bias");
            if (all == nullptr) return product(x, *own);
            const std::size_t queries = d.at(path + "q_proj_weight").extents[0],
                              keys = d.at(path + "k_proj_weight").extents[0];
            const array bias = rows(*all, which == 0 ? 0 : queries + (which - 1) * keys, own->extents[0]);
            return product(x, *own, &bias);
        }
        return linear(d, path + names[which] + "_proj", x);
    };
    const array qh = turned(split_heads(project(0, q), s.heads));
    const array kh = repeat_heads(turned(split_heads(project(1, k), s.kv_heads)), s.heads / s.kv_heads);
    const array vh = repeat_heads(split_heads(project(2, v), s.kv_heads), s.heads / s.kv_heads);
    array scores = reference::map(reference::matmul(qh, reference::transpose(kh)),
                                  [&](double x) { return x / std::sqrt(static_cast<double>(qh.extents.back())); });
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!kept(reference::coordinates(scores.extents, i)))
            scores.values[i] = -std::numeric_limits<double>::infinity();
    const array weights = reference::softmax(scores);
    const array mixed = merge_heads(reference::matmul(weights, vh));
    const std::string out = find(d, path + "o_proj.weight") != nullptr ? "o_proj" : "out_proj";
    return {linear(d, path + out, mixed), weights};
}

inline array feed_forward(const dict& d, const std::string& path, ashlar::nn::activation kind, const array& x) {
    if (find(d, path + "gate_proj.weight") != nullptr)
        return linear(
            d, path + "down_proj",
            reference::multiply(activate(kind, linear(d, path + "gate_proj", x)), linear(d, path + "up_proj", x)));
    return linear(d, path + "linear2", activate(kind, linear(d, path + "linear1", x)));
}

struct layer_shape {
    attention_shape attention;
    ashlar::nn::activation activation;
    bool norm_first;
};

inline array encoder_layer(const dict& d, const std::string& path, const layer_shape& s, const array& x,
                           const keeps& kept = keeps_all) {
    const auto mixed = [&](const array& y) {
        return attention(d, path + "self_attn.", s.attention, y, y, y, kept).output;
    };
    const auto block = [&](const array& y) { return feed_forward(d, path, s.activation, y); };
    const auto norm = [&](const char* name, const array& y) { return layer_norm(d, path + name, y); };
    if (s.norm_first) {
        const array h = reference::add(x, mixed(norm("norm1", x)));
        return reference::add(h, block(norm("norm2", h)));
    }
    const array h = norm("norm1", reference::add(x, mixed(x)));
    return norm("norm2", reference::add(h, block(h)));
}

inline array decoder_layer(const dict& d, const std::string& path, const layer_shape& s, const array& x,
                           const array& memory, const keeps& kept = keeps_all, const keeps& memory_kept = keeps_all) {
    const auto self = [&](const array& y) {
        return attention(d, path + "self_attn.", s.attention, y, y, y, kept).output;
    };
    const auto cross = [&](const array& y) {
        return attention(d, path + "multihead_attn.", s.attention, y, memory, memory, memory_kept).output;
    };
    const auto block = [&](const array& y) { return feed_forward(d, path, s.activation, y); };
    const auto norm = [&](const char* name, const array& y) { return layer_norm(d, path + name, y); };
    if (s.norm_first) {
        const array a = reference::add(x, self(norm("norm1", x)));
        const array b = reference::add(a, cross(norm("norm2", a)));
        return reference::add(b, block(norm("norm3", b)));
    }
    const array a = norm("norm1", reference::add(x, self(x)));
    const array b = norm("norm2", reference::add(a, cross(a)));
    return norm("norm3", reference::add(b, block(b)));
}

/// Interleaved pairs turned by position * 10000^(-2 i / width).
inline array turned(array x) {
    const std::size_t width = x.extents.back();
    for (std::size_t i = 0; i < x.size(); i += 2) {
        const auto at = reference::coordinates(x.extents, i);
        const double angle = static_cast<double>(at[at.size() - 2]) *
                             std::pow(10000.0, -static_cast<double>(at.back()) / static_cast<double>(width));
        const double a = x.values[i], b = x.values[i + 1];
        x.values[i] = a * std::cos(angle) - b * std::sin(angle);
        x.values[i + 1] = b * std::cos(angle) + a * std::sin(angle);
    }
    return x;
}

/// A layer of Llama, with interleaved pairs.
inline array llama_layer(const dict& d, const std::string& path, attention_shape s, const array& x,
                         const keeps& kept = keeps_causal) {
    const array norm = rms_norm(d, path + "input_layernorm", x, 1e-5);
    const array h = reference::add(x, attention(d, path + "self_attn.", s, norm, norm, norm, kept, turned).output);
    return reference::add(h, feed_forward(d, path + "mlp.", ashlar::nn::activation::silu,
                                          rms_norm(d, path + "post_attention_layernorm", h, 1e-5)));
}

/// [seq, batch, ...] as [batch, seq, ...], and back.
inline array batch_exchanged(const array& x) { return reference::permute(x, {1, 0, 2}); }

}  // namespace state
