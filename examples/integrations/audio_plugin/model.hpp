// SPDX-License-Identifier: BSL-1.0
// The model of the plugin: an LSTM and a product, with the members that headers of tools/import_audio.py have. Put such
// a header in its place.
#pragma once

#include <cstddef>

#include <ashlar/nn.hpp>

namespace imported {

using namespace ashlar;

struct amplifier {
    static constexpr std::size_t block = 64, in_channels = 1, out_channels = 1;
    static constexpr double sample_rate = 48000;
    using input = tensor<float, block, in_channels>;
    using output = tensor<float, block, out_channels>;

    nn::lstm<{.in = 1, .hidden = 16}> lstm{};
    nn::linear<{.in = 16, .out = 1}> head{};

    /// The state that earlier samples leave for later ones.
    struct state {
        decltype(amplifier::lstm)::state<> lstm{};

        void attach(const amplifier&) { reset(); }
        void reset() { lstm.reset(); }
    };
    struct scratch {
        tensor<float, block, 16> rows{};
    };

    /// Processes the next block of the signal. With rows_below(n) as last argument it processes only the first n
    /// samples.
    template <class... Limit>
    void operator()(const input& x, state& kept, output& y, scratch& values, Limit... limit) const {
        evaluate(values.rows, lstm(x, kept.lstm), limit...);
        evaluate(y, head(values.rows), limit...);
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("lstm", self.lstm);
        visit("head", self.head);
    }
};

}  // namespace imported
