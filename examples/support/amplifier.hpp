// SPDX-License-Identifier: BSL-1.0
// A trained amplifier: a WaveNet of NeuralAmpModeler's standard shape, as a model of weights and a player of
// blocks.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <ashlar/nn.hpp>

namespace examples::amplifier {

using namespace ashlar;

/// The samples of a block, and how many there are in a second.
inline constexpr std::size_t block = 64;
inline constexpr double sample_rate = 48000;

inline constexpr std::array names{"layers.0", "layers.1", "layers.2", "layers.3", "layers.4",
                                  "layers.5", "layers.6", "layers.7", "layers.8", "layers.9"};

/// tanh(conv(x) + mixed-in samples) goes to the head, and by a product and a residual to the next layer.
template <std::size_t Channels, std::size_t Dilation>
struct layer {
    using convolution =
        nn::conv1d<{.in = Channels, .out = Channels, .kernel = 3, .dilation = Dilation, .channels_last = true}>;
    convolution conv;
    nn::linear<{.in = 1, .out = Channels, .bias = false}> input_mixin;
    nn::linear<{.in = Channels, .out = Channels}> project;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv", self.conv);
        visit("input_mixin", self.input_mixin);
        visit("1x1", self.project);
    }
};

/// Ten layers with dilations from 1 to 512.
template <std::size_t In, std::size_t Channels, std::size_t Head, bool HeadBias>
struct layer_array {
    static constexpr std::size_t channels = Channels, head = Head, count = names.size();

    nn::linear<{.in = In, .out = Channels, .bias = false}> rechannel;
    std::tuple<layer<Channels, 1>, layer<Channels, 2>, layer<Channels, 4>, layer<Channels, 8>, layer<Channels, 16>,
               layer<Channels, 32>, layer<Channels, 64>, layer<Channels, 128>, layer<Channels, 256>,
               layer<Channels, 512>>
        layers;
    nn::linear<{.in = Channels, .out = Head, .bias = HeadBias}> head_rechannel;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("rechannel", self.rechannel);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (visit(names[I], std::get<I>(self.layers)), ...);
        }(std::make_index_sequence<count>{});
        visit("head_rechannel", self.head_rechannel);
    }
};

/// The model.
struct wavenet {
    layer_array<1, 16, 8, false> first;
    layer_array<16, 8, 1, true> second;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("layer_arrays.0", self.first);
        visit("layer_arrays.1", self.second);
    }
};
inline constexpr float head_scale = 0.02f;

/// The state of an array of layers: a stream for each of its convolutions.
template <class Array>
class array_stream {
    template <class... Layers>
    static auto streams_of(const std::tuple<Layers...>&)
        -> std::tuple<nn::stream<typename Layers::convolution, block>...>;

public:
    using rows = tensor<float, block, Array::channels>;

    void attach(const Array& a) {
        weights = &a;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (std::get<I>(streams).attach(std::get<I>(a.layers).conv), ...);
        }(std::make_index_sequence<Array::count>{});
    }
    /// Runs the layers from I on: x is the input of layer I. Adds to the head, and leaves the last result in `result`.
    template <std::size_t I = 0, class Input>
    void run(const Input& x, const tensor<float, block, 1>& samples, rows& head) {
        const auto& l = std::get<I>(weights->layers);
        auto& s = std::get<I>(streams);
        rows z = s(x) + l.input_mixin(samples);
        z = tanh(z);
        head += z;
        // The next input is computed where the next stream keeps it.
        if constexpr (I + 1 < Array::count)
            run<I + 1>(s.template latest<block>() + l.project(z), samples, head);
        else
            result = s.template latest<block>() + l.project(z);
    }

    rows result{};

private:
    const Array* weights = nullptr;
    decltype(streams_of(std::declval<decltype(Array::layers)>())) streams{};
};

/// The model as a callback.
struct player {
    const wavenet* weights = nullptr;
    array_stream<decltype(wavenet::first)> first{};
    array_stream<decltype(wavenet::second)> second{};

    void attach(const wavenet& w) {
        weights = &w;
        first.attach(w.first);
        second.attach(w.second);
    }
    void play(tensor<float, block, 1>& out, const tensor<float, block, 1>& samples) {
        tensor<float, block, 16> head{};
        first.run(weights->first.rechannel(samples), samples, head);
        tensor<float, block, 8> second_head = weights->first.head_rechannel(head);
        second.run(weights->second.rechannel(first.result), samples, second_head);
        out = weights->second.head_rechannel(second_head) * head_scale;
    }
};

}  // namespace examples::amplifier
