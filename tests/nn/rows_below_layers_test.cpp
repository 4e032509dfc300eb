// SPDX-License-Identifier: BSL-1.0
// rows_below of a stack of layers: the first rows of all layers, and as many of those before as their keys need.
#include <cmath>
#include <functional>
#include <string_view>

#include <tests/nn/state.hpp>

#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::random_numbers;

/// Rows of an entry of a batch.
using row_count = std::function<std::size_t(std::size_t)>;
row_count rows(std::size_t n) {
    return [n](std::size_t) { return n; };
}
state::keeps keeps_below(std::size_t n) {
    return [n](const reference::index& c) { return c.back() < n; };
}

template <class Model>
const Model& trained() {
    static const Model m = [] {
        nn::init::generator random(7);
        return nn::init::make<Model>(random);
    }();
    return m;
}
template <class Model>
reference::array expected(reference::array x, const state::keeps& kept) {
    constexpr auto o = Model::options.layer;
    const auto d = state::of(trained<Model>());
    for (std::size_t i = 0; i < Model::layer_count; ++i)
        x = state::encoder_layer(d, "layers." + std::to_string(i) + ".",
                                 {{o.embed, o.heads, o.heads}, o.activation, o.norm_first}, x, kept);
    return d.contains("norm.weight") ? state::layer_norm(d, "norm", x) : x;
}

[[gnu::noinline]] void spoil_behind(float* x, std::size_t size, std::size_t all, const row_count& n) {
    for (std::size_t i = 0; i < size / 16; ++i)
        if (i % all >= n(i / all)) std::fill_n(x + 16 * i, 16, std::numeric_limits<float>::quiet_NaN());
}
/// x with no numbers behind the first n rows of each entry, n(entry).
template <class Tensor>
Tensor without_rows(Tensor x, const row_count& n) {
    spoil_behind(x.data(), x.size(), Tensor::extents[Tensor::rank() - 2], n);
    return x;
}
[[gnu::noinline]] void expect_rows(const float* y, const reference::array& whole, const row_count& n) {
    const std::size_t all = whole.extents[whole.rank() - 2];
    for (std::size_t i = 0; i < whole.size(); ++i)
        if (i / 16 % all < n(i / 16 / all)) {
            ASSERT_NEAR(y[i], whole.values[i], 1e-5) << i / 16 / all << ' ' << i / 16 % all;
        }
}
/// Memory of no numbers between guards.
template <class T>
struct guarded {
    unsigned char before[256];
    T value;
    unsigned char behind[256];

    void spoil() { std::memset(static_cast<void*>(this), 0xff, sizeof *this); }
    void expect_guards() const {
        for (const auto* guard : {&before, &behind})
            for (const unsigned char c : *guard) ASSERT_EQ(c, 0xff);
    }
};

/// The call of a model with some rows, in a workspace that begins and ends where it says, full of what are no numbers.
template <class Model, class Tensor, class Rows, class... Choices>
void expect_first_rows(const Tensor& x, const Rows& below, const row_count& n, const row_count& given,
                       const state::keeps& kept, const Choices&... choices) {
    const auto& m = trained<Model>();
    static guarded<Tensor> y;
    static guarded<workspace<workspace_bytes<decltype(m(x, choices...))>>> scratch;
    y.spoil();
    scratch.spoil();
    const Tensor some = without_rows(x, given);
    evaluate(y.value, m(some, choices...), scratch.value, below);
    expect_rows(y.value.data(), expected<Model>(of(x), kept), n);
    y.expect_guards();
    scratch.expect_guards();
}

constexpr std::size_t counts[]{0, 1, 16, 17, 33, 48};

using norm_last = nn::encoder<{.layer = {.embed = 16, .heads = 2, .hidden = 40}, .layers = 3}>;
TEST(rows_below_layers, norm_last) {
    constexpr std::size_t all = 64;
    const auto x = random_numbers(1).normal<float, all, 16>();
    for (const std::size_t n : counts) {
        expect_first_rows<norm_last>(x, rows_below(n), rows(n), rows(n), keeps_below(n), keys_below(n));
        expect_first_rows<norm_last>(x, rows_below(n), rows(n), rows(n + 3), keeps_below(n + 3), keys_below(n + 3));
        expect_first_rows<norm_last>(x, rows_below(n), rows(n), rows(n), state::keeps_causal, causal);
        expect_first_rows<norm_last>(x, rows_below(n), rows(n), rows(all), state::keeps_all);
        // Into an operand.
        auto over = without_rows(x, rows(n));
        evaluate(over, trained<norm_last>()(over, keys_below(n)), rows_below(n));
        expect_rows(over.data(), expected<norm_last>(of(x), keeps_below(n)), rows(n));
    }
}
TEST(rows_below_layers, norm_first) {
    using model = nn::encoder<{
        .layer = {.embed = 16, .heads = 2, .hidden = 24, .norm_first = true}, .layers = 2, .final_norm = true}>;
    const auto x = random_numbers(1).normal<float, 51, 16>();
    for (const std::size_t n : counts)
        expect_first_rows<model>(x, rows_below(n), rows(n), rows(n + 3), keeps_below(n + 3), keys_below(n + 3));
}
TEST(rows_below_layers, ragged_batches) {
    const auto x = random_numbers(2).normal<float, 3, 48, 16>();
    static const tensor<int, 3> lengths{17, 0, 48}, fewer{3, 0, 20};
    const auto n = [](std::size_t entry) { return static_cast<std::size_t>(lengths(entry)); };
    const auto some = [](std::size_t entry) { return static_cast<std::size_t>(fewer(entry)); };
    const auto kept = [&](const reference::index& c) { return c.back() < n(c[0]); };
    expect_first_rows<norm_last>(x, rows_below(lengths), n, n, kept, keys_below(lengths));
    expect_first_rows<norm_last>(x, rows_below(fewer), some, n, kept, keys_below(lengths));
    expect_first_rows<norm_last>(x, rows_below(lengths), n, n, state::keeps_causal, causal);
    expect_first_rows<norm_last>(
        x, rows_below(3), [](std::size_t entry) { return entry == 1 ? 0u : 3u; }, n, kept, keys_below(lengths));
}
TEST(rows_below_layers, inputs_that_are_computed) {
    const auto x = random_numbers(3).normal<float, 48, 16>(), some = without_rows(x, rows(20));
    const auto& m = trained<norm_last>();
    const auto whole = expected<norm_last>(reference::add(of(x), of(x)), keeps_below(20));
    tensor<float, 48, 16> y = zeros<float, 48, 16>();
    workspace<workspace_bytes<decltype(m(x + x, keys_below(1)))>> scratch;
    evaluate(y, m(some + x, keys_below(20)), scratch, rows_below(20));
    expect_rows(y.data(), whole, rows(20));
    tensor<float, 16, 48> columns{};
    evaluate(transpose(columns), m(x + x, keys_below(20)), scratch, rows_below(20));
    y = transpose(columns);
    expect_rows(y.data(), whole, rows(20));
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
void expect_computed(std::size_t computed, std::size_t asked, std::size_t tiles) {
    const std::size_t least = lane_width<float, current_config> == 16 ? tiles : asked;
    EXPECT_TRUE(least <= computed && computed <= tiles) << computed << " of " << tiles << ", asked for " << asked;
}
TEST(rows_below_layers, rows_that_are_computed) {
    EXPECT_EQ(rows_of_layers(0, keys_below(0)), 0u);
    expect_computed(rows_of_layers(5, keys_below(5)), 4 * 5, 4 * 16);
    expect_computed(rows_of_layers(40, keys_below(40)), 4 * 40, 4 * 48);
    expect_computed(rows_of_layers(20, causal), 4 * 20, 4 * 32);
    // Layers before the last one compute what its keys are made of.
    expect_computed(rows_of_layers(5, keys_below(40)), 5 + 3 * 40, 16 + 3 * 48);
    expect_computed(rows_of_layers(5, keys_below(40) && causal), 4 * 5, 4 * 16);
    // Rows below 5, 25, 45 and 65.
    expect_computed(rows_of_layers(5, causal_at(20)), 5 + 25 + 45 + 65, 16 + 32 + 48 + 80);
    expect_computed(rows_of_layers(5, !keys_below(1)), 5 + 3 * 96, 16 + 3 * 96);
}

TEST(rows_below_layers, explained) {
    const tensor<float, 64, 16> x{};
    const auto has = [](const auto& text, const char* part) {
        return std::string_view(text.data(), text.size()).find(part) != std::string_view::npos;
    };
    const auto limited = explain(trained<norm_last>()(x, keys_below(1)), rows_below(1));
    EXPECT_TRUE(has(limited, "for every 16 of 64 rows, or 8 at the end, up to the last kept key\n"));
    EXPECT_TRUE(has(limited, "for every 32 of 64 rows, or 16 at the end, up to rows_below\n")) << limited.c_str();
    EXPECT_FALSE(has(limited, "regardless of rows_below") || has(limited, "are needed"));
    const auto whole = explain(trained<norm_last>()(x), rows_below(1));
    EXPECT_TRUE(has(whole, "3 times: (all rows of what is computed before it are needed)\n")) << whole.c_str();
    EXPECT_TRUE(has(whole, "for all 64 rows, regardless of rows_below\n"));
}

}  // namespace
