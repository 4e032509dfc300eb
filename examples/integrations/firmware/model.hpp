// SPDX-License-Identifier: BSL-1.0
// The model of the firmware: a filter and a recurrent layer over the samples of a sensor, block by block.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/nn.hpp>

namespace firmware {

using namespace ashlar;

inline constexpr std::size_t block = 16, channels = 8;
inline constexpr std::uint32_t sample_rate = 1000;

struct model {
    nn::conv1d<{.in = 1, .out = channels, .kernel = 5, .channels_last = true}> filter;
    nn::gru<{.in = channels, .hidden = channels}> memory;
    nn::linear<{.in = channels, .out = 1}> head;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("filter", self.filter);
        visit("memory", self.memory);
        visit("head", self.head);
    }
};

using samples = tensor<float, block, 1>;

/// The state that earlier samples leave for later ones.
struct state {
    nn::stream<decltype(model::filter), block> filter;
    nn::stream<decltype(model::memory), block> memory;

    void attach(const model& m) {
        filter.attach(m.filter);
        memory.attach(m.memory);
    }
};

inline void run(samples& y, const model& m, state& kept, const samples& x) {
    y = m.head(kept.memory(tanh(kept.filter(x))));
}

}  // namespace firmware
