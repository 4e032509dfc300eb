// SPDX-License-Identifier: BSL-1.0
// Streams against the call of their layer with the whole signal, over blocks of random lengths.
#pragma once

#include <limits>
#include <random>

#include <tests/support/convolutions.hpp>

#include <ashlar/nn.hpp>

namespace support {

/// The first `rows` entries along time of a signal from `first` on, and NaN behind them.
template <std::size_t Rows, bool ChannelsLast, class Signal>
auto block_of(const Signal& x, std::size_t first, std::size_t rows) {
    using namespace ashlar;
    constexpr std::size_t channels = Signal::extents[ChannelsLast ? 1 : 0];
    std::conditional_t<ChannelsLast, tensor<float, Rows, channels>, tensor<float, channels, Rows>> block;
    block = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < channels; ++c) {
            if constexpr (ChannelsLast)
                block(i, c) = x(first + i, c);
            else
                block(c, i) = x(c, first + i);
        }
    return block;
}

/// A signal on its way through a stream: how many entries have gone in, and results have come out.
template <bool ChannelsLast, class Stream, class Signal, class Whole>
struct streaming {
    static constexpr std::size_t time = ChannelsLast ? 0 : 1, length = Signal::extents[time];

    Stream& stream;
    const Signal& signal;
    const Whole& whole;
    double tolerance;
    std::size_t in = 0, out = 0;

    bool is_done() const { return in == length; }

    /// The next entries, as many of them as are left, by a call or by `process`.
    void push(std::size_t rows, bool call) {
        using namespace ashlar;
        rows = std::min(rows, length - in);
        const auto x = block_of<Stream::capacity, ChannelsLast>(signal, in, rows);
        detail::value_tensor<decltype(stream(x))> y;
        spoil(y);
        std::size_t ready = 0;
        if (call) {
            y = stream(x, rows_below(rows));
            ready = stream.ready();
        } else {
            ready = stream.process(y, x, rows_below(rows));
            EXPECT_EQ(ready, stream.ready());
        }
        in += rows;
        expect(y, ready);
    }
    /// All entries up to the capacity by the call without a limit.
    void push_all() {
        ASSERT_LE(in + Stream::capacity, length);
        const auto x = block_of<Stream::capacity, ChannelsLast>(signal, in, Stream::capacity);
        const auto y = ashlar::eval(stream(x));
        in += Stream::capacity;
        expect(y, stream.ready());
    }
    template <class Results>
    void expect(const Results& y, std::size_t ready) {
        ASSERT_LE(ready, Results::extents[time]);
        ASSERT_LE(out + ready, Whole::extents[time]);
        for (std::size_t i = 0; i < ready; ++i)
            for (std::size_t c = 0; c < Whole::extents[1 - time]; ++c) {
                const float expected = ChannelsLast ? whole(out + i, c) : whole(c, out + i);
                const float actual = ChannelsLast ? y(i, c) : y(c, i);
                ASSERT_NEAR(actual, expected, tolerance * (1 + std::abs(expected)))
                    << "result " << out + i << ", channel " << c << ", after " << in << " inputs";
            }
        out += ready;
    }
};

/// Checks a stream against the results of a whole signal. The last `missing` results need more input. In blocks of
/// single entries, of primes, of the capacity and of random lengths; after a reset; after a prefill; and in a copy that
/// takes turns with the stream.
template <bool ChannelsLast = true, class Stream, class Signal, class Whole>
void check_stream(Stream& s, const Signal& x, const Whole& whole, double tolerance, std::size_t missing = 0) {
    using way = streaming<ChannelsLast, Stream, Signal, Whole>;
    constexpr std::size_t length = way::length, capacity = Stream::capacity;
    const auto expected = Whole::extents[way::time] - missing;
    std::mt19937 random(static_cast<unsigned>(length + capacity));
    const auto any = [&](std::size_t most) { return static_cast<std::size_t>(random() % (most + 1)); };

    for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{13}, capacity}) {
        SCOPED_TRACE("blocks of " + std::to_string(rows));
        s.reset();
        way w{s, x, whole, tolerance};
        while (!w.is_done() && !::testing::Test::HasFatalFailure()) w.push(std::min(rows, capacity), any(1) != 0);
        EXPECT_EQ(w.out, expected);
    }
    {
        SCOPED_TRACE("whole blocks");
        s.reset();
        way w{s, x, whole, tolerance};
        while (w.in + capacity <= length && !::testing::Test::HasFatalFailure()) w.push_all();
    }
    for (int turn = 0; turn < 4; ++turn) {
        SCOPED_TRACE("random blocks");
        s.reset();
        way w{s, x, whole, tolerance};
        while (!w.is_done() && !::testing::Test::HasFatalFailure()) w.push(any(capacity), any(1) != 0);
        EXPECT_EQ(w.out, expected);
    }
    {
        SCOPED_TRACE("a copy takes turns");
        s.reset();
        Stream copy = s;
        way first{s, x, whole, tolerance}, second{copy, x, whole, tolerance};
        while (!second.is_done() && !::testing::Test::HasFatalFailure()) {
            first.push(any(capacity), true);
            second.push(any(capacity / 2 + 1), true);
        }
        EXPECT_EQ(second.out, expected);
    }
}

/// After a prefill of the first Rows entries a stream continues as if it had taken them; `before` results are skipped.
template <std::size_t Rows, bool ChannelsLast = true, class Stream, class Signal, class Whole>
void check_prefill(Stream& s, const Signal& x, const Whole& whole, double tolerance, std::size_t before) {
    SCOPED_TRACE("prefill of " + std::to_string(Rows));
    s.reset();
    s.prefill(block_of<Rows, ChannelsLast>(x, 0, Rows));
    EXPECT_EQ(s.ready(), 0u);
    streaming<ChannelsLast, Stream, Signal, Whole> w{s, x, whole, tolerance, Rows, before};
    while (!w.is_done() && !::testing::Test::HasFatalFailure())
        w.push(std::min<std::size_t>(5, Stream::capacity), true);
    EXPECT_EQ(w.out, Whole::extents[ChannelsLast ? 0 : 1]);
}

/// A stream of a causal convolution, in the layer's layout.
template <ashlar::nn::conv1d_options Options, std::size_t Capacity, std::size_t Length, class Element = float,
          class Weight = Element>
void check_causal(double tolerance = 2e-5) {
    using namespace ashlar;
    using layer = nn::conv1d<Options, Element, Weight>;
    static layer conv{};
    nn::init::generator weights(1);
    nn::init::reset_parameters(conv, weights);
    static nn::stream<layer, Capacity> s{conv};
    constexpr std::size_t in = Options.in, history = (Options.kernel - 1) * Options.dilation;
    constexpr bool last = Options.channels_last;
    const std::conditional_t<last, tensor<float, Length, in>, tensor<float, in, Length>> x = [] {
        if constexpr (last)
            return random_numbers(2).normal<float, Length, in>();
        else
            return random_numbers(2).normal<float, in, Length>();
    }();
    const auto whole = eval(conv(pad<(last ? -2 : -1), history, 0>(x)));
    check_stream<last>(s, x, whole, tolerance);
    constexpr std::size_t stride = Options.stride;
    check_prefill<1, last>(s, x, whole, tolerance, 1);
    check_prefill<Length - 2, last>(s, x, whole, tolerance, (Length - 3) / stride + 1);
}

/// A stream of a convolution as it is: padding at the end comes as zeros.
template <ashlar::nn::conv1d_options Options, std::size_t Capacity, std::size_t Length>
void check_whole(double tolerance = 2e-5) {
    using namespace ashlar;
    using layer = nn::conv1d<Options>;
    static layer conv{};
    nn::init::generator weights(1);
    nn::init::reset_parameters(conv, weights);
    static nn::stream<layer, Capacity, nn::stream_start::whole> s{conv};
    constexpr std::size_t padding = Options.padding;
    const auto x = random_numbers(2).normal<float, Length, layer::in>();
    const auto whole = eval(conv(x));
    const tensor<float, Length + padding, layer::in> until = pad<0, 0, padding>(x);
    check_stream(s, until, whole, tolerance);
}

}  // namespace support
