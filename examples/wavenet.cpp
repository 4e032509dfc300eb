// SPDX-License-Identifier: BSL-1.0
// A WaveNet of NeuralAmpModeler's standard shape, an amplifier that is learnt: samples in, samples out, in the blocks
// of an audio callback. With weights by chance it compares blocks with the whole signal, counts allocations, and says
// how much of real time a block takes. docs/streaming.md explains streams.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <tuple>
#include <utility>

#include <ashlar/nn.hpp>

#include "support/counted_allocations.hpp"

namespace {

using namespace ashlar;

constexpr std::size_t block = 64, length = 40 * block;
constexpr double sample_rate = 48000;
constexpr std::array names{"layers.0", "layers.1", "layers.2", "layers.3", "layers.4",
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
constexpr float head_scale = 0.02f;

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
struct amplifier {
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

/// The layers of an array for the whole signal, by calls of the same modules.
template <std::size_t I = 0, class Array, class Rows>
void run_whole(const Array& weights, Rows& x, const tensor<float, length, 1>& samples, Rows& head) {
    const auto& l = std::get<I>(weights.layers);
    static Rows z;
    constexpr std::size_t history = 2 * (std::size_t{1} << I);
    const auto e = tanh(l.conv(pad<0, history, 0>(x)) + l.input_mixin(samples));
    static workspace<workspace_bytes<decltype(e)>> scratch;
    evaluate(z, e, scratch);
    head += z;
    x += l.project(z);
    if constexpr (I + 1 < Array::count) run_whole<I + 1>(weights, x, samples, head);
}
void play_whole(const wavenet& w, tensor<float, length, 1>& out, const tensor<float, length, 1>& samples) {
    static tensor<float, length, 16> x, head;
    static tensor<float, length, 8> second_x, second_head;
    x = w.first.rechannel(samples);
    head = 0;
    run_whole(w.first, x, samples, head);
    second_head = w.first.head_rechannel(head);
    second_x = w.second.rechannel(x);
    run_whole(w.second, second_x, samples, second_head);
    out = w.second.head_rechannel(second_head) * head_scale;
}

wavenet weights;
amplifier amp;
tensor<float, length, 1> samples, in_blocks, whole;

}  // namespace

int main() {
    nn::init::generator random(1);
    nn::init::reset_parameters(weights, random);
    for (std::size_t i = 0; i < length; ++i)
        samples(i, 0) =
            static_cast<float>(std::sin(0.03 * static_cast<double>(i)) * std::cos(0.0007 * static_cast<double>(i * i)));
    play_whole(weights, whole, samples);

    amp.attach(weights);
    std::array<double, length / block> microseconds{};
    double least_median = 1e30;
    const std::size_t before = examples::allocations;
    for (int turn = 0; turn < 20; ++turn) {
        amp.attach(weights);
        for (std::size_t b = 0; b < length / block; ++b) {
            tensor<float, block, 1> x, y;
            for (std::size_t i = 0; i < block; ++i) x(i, 0) = samples(b * block + i, 0);
            const auto start = std::chrono::steady_clock::now();
            amp.play(y, x);
            microseconds[b] =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
            for (std::size_t i = 0; i < block; ++i) in_blocks(b * block + i, 0) = y(i, 0);
        }
        std::sort(microseconds.begin(), microseconds.end());
        least_median = std::min(least_median, microseconds[microseconds.size() / 2]);
    }
    const std::size_t made = examples::allocations - before;

    float difference = 0, loudest = 0;
    for (std::size_t i = 0; i < length; ++i) {
        difference = std::max(difference, std::abs(in_blocks(i, 0) - whole(i, 0)));
        loudest = std::max(loudest, std::abs(whole(i, 0)));
    }
    const double real_time = 1e6 * static_cast<double>(block) / sample_rate;
    std::printf("%zu parameters, %zu bytes of state\n", nn::parameter_count<wavenet>, sizeof(amp));
    std::printf("blocks of %zu samples and the whole differ by %.1e, of at most %.1e\n", block,
                static_cast<double>(difference), static_cast<double>(loudest));
    std::printf("%zu allocations\n", made);
    std::printf("%.1f microseconds a block, of %.0f in real time at %.0f Hz: %.1f%%\n", least_median, real_time,
                sample_rate, 100 * least_median / real_time);
    return difference <= 1e-6f && difference <= 1e-5f * loudest && loudest > 0 && made == 0 ? 0 : 1;
}
