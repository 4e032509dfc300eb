// SPDX-License-Identifier: BSL-1.0
// rows_below of a stack of layers: the first rows of all layers, and as many of those before as their keys need.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;
using support::random_numbers;

template <class Model>
const Model& trained() {
    static const Model m = [] {
        nn::init::generator random(7);
        return nn::init::make<Model>(random);
    }();
    return m;
}

/// x with no numbers behind the first n rows of each entry, n(entry).
template <class Tensor, class Count>
Tensor without_rows(Tensor x, const Count& n) {
    constexpr std::size_t columns = Tensor::extents[Tensor::rank() - 1], all = Tensor::extents[Tensor::rank() - 2];
    for (std::size_t b = 0; b < Tensor::size / columns / all; ++b)
        for (std::size_t i = n(b) * columns; i < all * columns; ++i)
            x.data()[b * all * columns + i] = std::numeric_limits<float>::quiet_NaN();
    return x;
}
template <class Tensor, class Count>
void expect_rows(const Tensor& y, const Tensor& whole, const Count& n) {
    constexpr std::size_t columns = Tensor::extents[Tensor::rank() - 1], all = Tensor::extents[Tensor::rank() - 2];
    for (std::size_t b = 0; b < Tensor::size / columns / all; ++b)
        for (std::size_t i = 0; i < n(b) * columns; ++i)
            ASSERT_NEAR(y.data()[b * all * columns + i], whole.data()[b * all * columns + i], 1e-5f) << b << ' ' << i;
}

/// The call of a model with some rows, in a workspace that begins and ends where it says, full of what are no numbers.
template <class Model, class Tensor, class Rows, class Count, class Given, class... Choices>
void expect_first_rows(const Tensor& x, const Rows& rows, const Count& n, const Given& given,
                       const Choices&... choices) {
    const auto& m = trained<Model>();
    static workspace<workspace_bytes<decltype(m(x, choices...))>> scratch;
    static Tensor whole;
    evaluate(whole, m(x, choices...), scratch);
    static struct {
        std::array<float, 64> before;
        Tensor y;
        std::array<float, 64> behind;
        alignas(64) unsigned char guard[64];
        workspace<workspace_bytes<decltype(m(x, choices...))>> scratch;
        unsigned char last[256];
    } memory;
    std::memset(static_cast<void*>(&memory), 0xff, sizeof memory);
    const Tensor some = without_rows(x, given);
    evaluate(memory.y, m(some, choices...), memory.scratch, rows);
    expect_rows(memory.y, whole, n);
    for (const auto& guard : {memory.before, memory.behind})
        for (const float v : guard) ASSERT_TRUE(std::isnan(v));
    for (const unsigned char c : memory.guard) ASSERT_EQ(c, 0xff);
    for (const unsigned char c : memory.last) ASSERT_EQ(c, 0xff);
    // Into an operand.
    Tensor over = some;
    evaluate(over, m(over, choices...), rows);
    expect_rows(over, whole, n);
}

template <class Model, std::size_t Rows>
void models() {
    SCOPED_TRACE(Rows);
    const auto x = random_numbers(1).normal<float, Rows, 16>();
    for (const std::size_t n : {0u, 1u, 16u, 17u, 33u, 48u}) {
        SCOPED_TRACE(n);
        const auto rows = [&](std::size_t) { return n; };
        const std::size_t more = n + 3;
        expect_first_rows<Model>(x, rows_below(n), rows, rows, keys_below(n));
        expect_first_rows<Model>(x, rows_below(n), rows, rows, causal);
        expect_first_rows<Model>(x, rows_below(n), rows, [&](std::size_t) { return more; }, keys_below(more));
        expect_first_rows<Model>(x, rows_below(n), rows, [](std::size_t) { return Rows; });
    }
}

TEST(rows_below_layers, encoders) {
    models<nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 40}, .layers = 3}>, 64>();
    models<nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 24}, .layers = 2, .final_norm = true}>, 51>();
    models<nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 24, .norm_first = true}, .layers = 2}>, 64>();
}
TEST(rows_below_layers, ragged_batches) {
    using model = nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 24}, .layers = 3}>;
    const auto x = random_numbers(2).normal<float, 3, 48, 16>();
    static const tensor<int, 3> lengths{17, 0, 48}, fewer{3, 0, 20};
    const auto n = [](std::size_t entry) { return static_cast<std::size_t>(lengths(entry)); };
    const auto some = [](std::size_t entry) { return static_cast<std::size_t>(fewer(entry)); };
    expect_first_rows<model>(x, rows_below(lengths), n, n, keys_below(lengths));
    expect_first_rows<model>(x, rows_below(fewer), some, n, keys_below(lengths));
    expect_first_rows<model>(x, rows_below(lengths), n, n, causal);
    expect_first_rows<model>(
        x, rows_below(3), [](std::size_t entry) { return entry == 1 ? 0u : 3u; }, n, keys_below(lengths));
}
TEST(rows_below_layers, inputs_that_are_computed) {
    using model = nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 24}, .layers = 3}>;
    const auto x = random_numbers(3).normal<float, 48, 16>();
    const auto& m = trained<model>();
    tensor<float, 48, 16> whole, y = zeros<float, 48, 16>();
    workspace<workspace_bytes<decltype(m(x + x, keys_below(1)))>> scratch;
    evaluate(whole, m(x + x, keys_below(20)), scratch);
    evaluate(y, m(without_rows(x, [](std::size_t) { return 20u; }) + x, keys_below(20)), scratch, rows_below(20));
    expect_rows(y, whole, [](std::size_t) { return 20u; });
    tensor<float, 16, 48> columns{};
    evaluate(transpose(columns), m(x + x, keys_below(20)), scratch, rows_below(20));
    expect_rows(tensor<float, 48, 16>(transpose(columns)), whole, [](std::size_t) { return 20u; });
}

std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

/// Layers that attend, and count the rows that they compute queries of.
template <class Mask>
struct attending {
    static constexpr std::size_t count = 4;
    const tensor<float, 16, 16>* weight;
    Mask mask;

    template <class Source>
    constexpr auto operator()(const Source& x, std::size_t, std::byte*) const noexcept {
        return attention(map(counted, matmul(x, *weight)), matmul(x, *weight), matmul(x, *weight), mask);
    }
};
template <class Mask>
std::size_t rows_of_layers(std::size_t n, const Mask& mask) {
    const auto w = random_numbers(4).normal<float, 16, 16>();
    const auto x = random_numbers(5).normal<float, 96, 16>();
    tensor<float, 96, 16> y;
    const auto call = detail::in_sequence(x, attending<Mask>{&w, mask});
    calls = 0;
    evaluate(y, call, rows_below(n));
    return calls / 16;
}
/// With AVX-512 whole tiles of rows. If register blocks are skipped, between that and the requested rows.
void expect_rows(std::size_t computed, std::size_t asked, std::size_t tiles) {
    const std::size_t least = lane_width<float, current_config> == 16 ? tiles : asked;
    EXPECT_TRUE(least <= computed && computed <= tiles) << computed << " of " << tiles << ", asked for " << asked;
}
TEST(rows_below_layers, rows_that_are_computed) {
    EXPECT_EQ(rows_of_layers(0, keys_below(0)), 0u);
    expect_rows(rows_of_layers(5, keys_below(5)), 4 * 5, 4 * 16);
    expect_rows(rows_of_layers(40, keys_below(40)), 4 * 40, 4 * 48);
    expect_rows(rows_of_layers(20, causal), 4 * 20, 4 * 32);
    // Layers before the last one compute what its keys are made of.
    expect_rows(rows_of_layers(5, keys_below(40)), 5 + 3 * 40, 16 + 3 * 48);
    expect_rows(rows_of_layers(5, keys_below(40) && causal), 4 * 5, 4 * 16);
    // Rows below 5, 25, 45 and 65.
    expect_rows(rows_of_layers(5, causal_at(20)), 5 + 25 + 45 + 65, 16 + 32 + 48 + 80);
    expect_rows(rows_of_layers(5, !keys_below(1)), 5 + 3 * 96, 16 + 3 * 96);
}

TEST(rows_below_layers, explained) {
    using model = nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 40}, .layers = 3}>;
    const tensor<float, 64, 16> x{};
    const auto has = [](const auto& text, const char* part) {
        return std::string_view(text.data(), text.size()).find(part) != std::string_view::npos;
    };
    const auto limited = explain(trained<model>()(x, keys_below(1)), rows_below(1));
    EXPECT_TRUE(has(limited, "for every 16 of 64 rows, or 8 at the end, as far as the keys that the mask keeps\n"));
    EXPECT_TRUE(has(limited, "for every 32 of 64 rows, or 16 at the end, as far as rows_below\n")) << limited.c_str();
    EXPECT_FALSE(has(limited, "whatever rows_below says") || has(limited, "are needed"));
    const auto whole = explain(trained<model>()(x), rows_below(1));
    EXPECT_TRUE(has(whole, "3 times: (all rows of what is computed before it are needed)\n")) << whole.c_str();
    EXPECT_TRUE(has(whole, "for all 64 rows, whatever rows_below says\n"));
}

}  // namespace
