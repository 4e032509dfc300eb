// SPDX-License-Identifier: BSL-1.0
// Small models with everything that lists of members can say, for the tests of loading, saving and images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/module/module.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::test {

/// Width 2; projections as PyTorch's MultiheadAttention lists them, a layer as its encoder layer does.
struct small_layer {
    tensor<float, 2, 2> query, key, value;
    tensor<float, 2> query_bias, key_bias, value_bias;
    tensor<float, 2, 3> up;
    tensor<float, 3> up_bias;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("self_attn.in_proj_weight",
              nn::stacked(nn::transposed(self.query), nn::transposed(self.key), nn::transposed(self.value)));
        visit("self_attn.in_proj_bias", nn::stacked(self.query_bias, self.key_bias, self.value_bias));
        visit("linear1.weight", nn::transposed(self.up));
        visit("linear1.bias", self.up_bias);
    }
};

struct small_model {
    tensor<float, 5, 2> embedding;
    std::array<small_layer, 2> layers;
    tensor<double, 1> scale;
    tensor<std::int32_t, 3> ids;
    tensor<bool, 3> flags;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("embedding.weight", self.embedding);
        visit("layers", self.layers);
        visit("scale", self.scale);
        visit("ids", self.ids);
        visit("flags", self.flags);
    }
};

/// A model whose elements are all different, made of zeroed memory so that models can be compared byte by byte.
inline small_model numbered_model() {
    small_model m{};
    float next = 1;
    const auto number = [&](auto& t) {
        for (auto& x : t) x = static_cast<std::remove_reference_t<decltype(x)>>(next++);
    };
    number(m.embedding);
    for (small_layer& layer : m.layers) {
        number(layer.query);
        number(layer.key);
        number(layer.value);
        number(layer.query_bias);
        number(layer.key_bias);
        number(layer.value_bias);
        number(layer.up);
        number(layer.up_bias);
    }
    number(m.scale);
    number(m.ids);
    m.flags = {true, false, true};
    return m;
}

/// Whether two models have the same elements.
inline bool same_elements(const small_model& a, const small_model& b) {
    const auto same = [](const auto& x, const auto& y) {
        for (std::size_t i = 0; i < x.size(); ++i)
            if (!(x.elements[i] == y.elements[i])) return false;
        return true;
    };
    bool all = same(a.embedding, b.embedding) && same(a.scale, b.scale) && same(a.ids, b.ids) && same(a.flags, b.flags);
    for (std::size_t i = 0; i < 2; ++i) {
        const small_layer &x = a.layers[i], &y = b.layers[i];
        all = all && same(x.query, y.query) && same(x.key, y.key) && same(x.value, y.value) &&
              same(x.query_bias, y.query_bias) && same(x.key_bias, y.key_bias) && same(x.value_bias, y.value_bias) &&
              same(x.up, y.up) && same(x.up_bias, y.up_bias);
    }
    return all;
}

}  // namespace ashlar::test
