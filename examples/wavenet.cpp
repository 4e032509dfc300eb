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

#include <ashlar/nn.hpp>

#include "support/amplifier.hpp"
#include "support/counted_allocations.hpp"

namespace {

using namespace examples::amplifier;

constexpr std::size_t length = 40 * block;

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
player amp;
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
