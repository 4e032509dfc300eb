// SPDX-License-Identifier: BSL-1.0
// Streams in use: in chains, in expressions, as constants, without a layer, and with the mistakes that a program makes.
#include <type_traits>

#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;

using first_layer = nn::conv1d<{.in = 1, .out = 8, .kernel = 5, .stride = 2, .channels_last = true}>;
using second_layer = nn::conv1d<{.in = 8, .out = 8, .kernel = 3, .dilation = 4, .channels_last = true}>;
using last_layer = nn::gru<{.in = 8, .hidden = 4}>;

struct weights {
    first_layer first;
    second_layer second;
    last_layer last;
};
weights model{};

/// The pattern for a model: its streams are members, and a block passes through all of them.
struct listener {
    nn::stream<first_layer, 32> first{model.first};
    nn::stream<second_layer, 16> second{model.second};
    nn::stream<last_layer, 16> last{model.last};

    std::size_t hear(tensor<float, 16, 4>& y, const tensor<float, 32, 1>& x, std::size_t n) {
        const auto a = first(x, rows_below(n));
        const auto b = second(gelu(a), rows_below(first.ready()));
        return last.process(y, b, rows_below(second.ready()));
    }
};

TEST(stream, chain) {
    support::fill(model.first, 1);
    support::fill(model.second, 2);
    support::fill(model.last, 3);
    const auto x = support::random_numbers(4).normal<float, 200, 1>();
    const auto opposite = eval(-x);
    const tensor<float, 100, 4> whole = model.last(model.second(pad<0, 8, 0>(gelu(model.first(pad<0, 4, 0>(x))))));
    static listener l, other;
    std::mt19937 random(5);
    std::size_t in = 0, out = 0;
    while (in < 200) {
        const std::size_t n = std::min<std::size_t>(random() % 33, 200 - in);
        tensor<float, 16, 4> y{};
        const std::size_t ready = l.hear(y, support::block_of<32, true>(x, in, n), n);
        for (std::size_t i = 0; i < ready; ++i)
            for (std::size_t c = 0; c < 4; ++c) ASSERT_NEAR(y(i, c), whole(out + i, c), 1e-5) << out + i;
        in += n;
        out += ready;
        // A second listener to something else, with the same weights.
        other.hear(y, support::block_of<32, true>(opposite, in - n, n), n);
    }
    EXPECT_EQ(out, 100u);
}

// A static stream without a layer needs no bytes in the image of a program, and takes a layer later.
constinit nn::stream<second_layer, 16> later;

// The result is an expression. Each use evaluates it again, as long as the block exists.
TEST(stream, expression_of_an_attached_stream) {
    support::fill(model.second, 2);
    const auto x = support::random_numbers(4).normal<float, 32, 8>();
    const tensor<float, 32, 8> whole = x + tanh(model.second(pad<0, 8, 0>(x)));
    for (std::size_t b = 0; b < 4; ++b) {
        if (b % 2 == 0) {
            later.attach(model.second);
            EXPECT_EQ(later.ready(), 0u);
        }
        const std::size_t first = 16 * (b % 2);
        const auto block = support::block_of<16, true>(x, first, 16);
        const auto y = later(2.0f * block * 0.5f);
        static_assert(plan<decltype(later.latest<16>() + tanh(y))>.step_count == 1);  // one loop
        const tensor<float, 16, 8> twice = later.latest<16>() + tanh(y), again = later.latest<16>() + tanh(y);
        for (std::size_t i = 0; i < 16; ++i)
            for (std::size_t c = 0; c < 8; ++c) {
                EXPECT_NEAR(twice(i, c), whole(first + i, c), 1e-5);
                EXPECT_EQ(twice(i, c), again(i, c));
            }
    }
}

// Blocks of other static lengths than the capacity.
TEST(stream, shorter_blocks) {
    static nn::stream<first_layer, 32> shorter{model.first};
    support::fill(model.first, 1);
    const auto x = support::random_numbers(4).normal<float, 32, 1>();
    const tensor<float, 16, 8> whole = model.first(pad<0, 4, 0>(x));
    tensor<float, 1, 8> one{};
    for (std::size_t t = 0; t < 9; ++t) {
        ASSERT_EQ(shorter.process(one, support::block_of<1, true>(x, t, 1)), (t + 1) % 2);
        if (t % 2 == 0) {
            EXPECT_NEAR(one(0, 5), whole(t / 2, 5), 1e-5);
        }
    }
    EXPECT_EQ(shorter.process(one, support::block_of<1, true>(x, 9, 1), rows_below(0)), 0u);
}

// More rows than the block has are asserted; without assertions the block's own rows are taken.
#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(stream_death, mistakes_are_asserted) {
    static nn::stream<second_layer, 16> none;
    const tensor<float, 16, 8> x{};
    tensor<float, 16, 8> y{};
    later.attach(model.second);
    EXPECT_DEATH(later.process(y, x, rows_below(17)), "more rows than the block has");
    EXPECT_DEATH(none.process(y, x), "there is no layer");
}
#elif defined(NDEBUG)
TEST(stream, more_rows_than_the_block) {
    const tensor<float, 8, 8> x{};
    tensor<float, 8, 8> y{};
    later.attach(model.second);
    EXPECT_EQ(later.process(y, x, rows_below(17)), 8u);
}
#endif

constexpr auto constant_layer = [] {
    nn::conv1d<{.in = 1, .out = 1, .kernel = 3, .dilation = 2, .channels_last = true}> m{};
    m.weight.elements[0] = 1;
    m.weight.elements[1] = 10;
    m.weight.elements[2] = 100;
    m.bias = 0.5f;
    return m;
}();
template <std::size_t Capacity>
constexpr bool streams_constants() {
    nn::stream<std::remove_const_t<decltype(constant_layer)>, Capacity> s{constant_layer};
    tensor<float, 8, 1> x{}, y{};
    for (std::size_t i = 0; i < 8; ++i) x(i, 0) = static_cast<float>(i + 1);
    const tensor<float, 8, 1> whole = constant_layer(pad<0, 4, 0>(x));
    for (std::size_t i = 0; i < 8; i += 2) {
        tensor<float, 2, 1> block{}, part{};
        block(0, 0) = x(i, 0);
        block(1, 0) = x(i + 1, 0);
        if (s.process(part, block) != 2) return false;
        y(i, 0) = part(0, 0);
        y(i + 1, 0) = part(1, 0);
    }
    return all(y == whole);
}
static_assert(streams_constants<2>() && streams_constants<8>());

constexpr bool pools_constants() {
    nn::stream<nn::max_pool1d<{.channels = 1, .kernel = 2, .channels_last = true}>, 4> s;
    const tensor<float, 2, 1> y = s(tensor<float, 4, 1>{{1}, {3}, {2}, {4}});
    return all(y == tensor<float, 2, 1>{{3}, {4}});
}
static_assert(pools_constants());

static_assert(std::is_trivially_copyable_v<nn::stream<second_layer, 16>>);
// The state is what is remembered, a block, and a few numbers: 8 rows and 16 rows of 8 floats.
static_assert(nn::stream<second_layer, 16>::state_bytes == sizeof(nn::stream<second_layer, 16>));
static_assert(nn::stream<second_layer, 16>::state_bytes <= (8 + 16) * 8 * sizeof(float) + 192);
static_assert(nn::stream<second_layer, 16>::delay == 0);
static_assert(nn::stream<second_layer, 16, nn::stream_start::whole>::delay == 8);

}  // namespace
