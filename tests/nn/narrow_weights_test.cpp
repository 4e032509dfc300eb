// SPDX-License-Identifier: BSL-1.0
// Modules with weights of f16 and bf16: as those whose float weights have been rounded, and loaded from files of any
// floating-point type.
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tests/nn/state.hpp>

#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "io/file_builder.hpp"

namespace {

using namespace ashlar;
using test::bytes_of;

using linear = nn::linear<{.in = 24, .out = 20}>;
using narrow_linear = nn::linear<{.in = 24, .out = 20}, float, bf16>;
static_assert(std::is_same_v<decltype(narrow_linear::weight), packed<bf16, 24, 20>>);
static_assert(std::is_same_v<decltype(narrow_linear::bias), tensor<float, 20>>);
static_assert(nn::parameter_bytes<narrow_linear> == 24 * 20 * 2 + 20 * 4);
static_assert(
    std::is_same_v<nn::linear<{.in = 24, .out = 20}, double>, nn::linear<{.in = 24, .out = 20}, double, double>>);

[[gnu::noinline]] double greatest_difference(const reference::array& a, const reference::array& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::abs(a.values[i] - b.values[i]));
    return most;
}
double nearest(double x) { return static_cast<double>(bf16(static_cast<float>(x))); }

inline constexpr nn::encoder_layer_options small{
    .embed = 32, .heads = 4, .hidden = 48, .activation = nn::activation::gelu};
inline constexpr state::layer_shape small_shape{{32, 4, 4}, nn::activation::gelu, false};

TEST(narrow_weights, an_encoder_is_the_one_with_rounded_weights) {
    static nn::encoder<{.layer = small, .layers = 2}> drawn{};
    static nn::encoder<{.layer = small, .layers = 2}, float, bf16> narrow{};
    nn::init::generator random(1), again(1);
    nn::init::reset_parameters(drawn, random);
    nn::init::reset_parameters(narrow, again);
    const state::dict rounded = state::of(narrow);
    for (const auto& [name, wide] : state::of(drawn))
        for (std::size_t i = 0; i < wide.size(); ++i)
            ASSERT_EQ(rounded.at(name).values[i], wide.rank() == 2 ? nearest(wide.values[i]) : wide.values[i]) << name;
    const tensor<bf16, 20, 32> given = nn::init::randn<float, 20, 32>(random);
    const tensor<float, 20, 32> x = given, y = narrow(x);
    reference::array expected = reference::of(x);
    for (const char* i : {"layers.0.", "layers.1."}) expected = state::encoder_layer(rounded, i, small_shape, expected);
    EXPECT_LT(greatest_difference(reference::of(y), expected), 2e-5);
    // It takes and gives 16 bits.
    const tensor<bf16, 20, 32> z = narrow(given);
    for (std::size_t i = 0; i < z.size(); ++i)
        ASSERT_EQ(static_cast<float>(z.data()[i]), static_cast<float>(bf16(y.data()[i])));
}

TEST(narrow_weights, one_row) {
    static narrow_linear m{};
    nn::init::generator random(2);
    nn::init::reset_parameters(m, random);
    const auto x = nn::init::randn<float, 1, 24>(random);
    const tensor<float, 1, 20> y = m(x);
    const state::dict d = state::of(m);
    EXPECT_LT(greatest_difference(reference::of(y), state::product(reference::of(x), d.at("weight"), &d.at("bias"))),
              2e-5);
}

// Elements of bf16, not weights alone: what products take is rounded, too.
using rounding_linear = nn::linear<{.in = 24, .out = 20}, bf16>;
static_assert(std::is_same_v<decltype(rounding_linear::weight), packed<bf16, 24, 20>>);
static_assert(std::is_same_v<decltype(rounding_linear::bias), tensor<bf16, 20>>);

TEST(narrow_weights, a_module_of_bf16_rounds_what_it_multiplies) {
    static rounding_linear m{};
    nn::init::generator random(6);
    nn::init::reset_parameters(m, random);
    const auto x = nn::init::randn<float, 7, 24>(random);
    const tensor<float, 7, 20> y = m(x);
    const state::dict d = state::of(m);
    const auto exact = [&](const reference::array& rows) {
        return state::product(rows, d.at("weight"), &d.at("bias"));
    };
    EXPECT_LT(greatest_difference(reference::of(y), exact(reference::map(reference::of(x), nearest))), 2e-5);
    EXPECT_GT(greatest_difference(reference::of(y), exact(reference::of(x))), 1e-4);
    static nn::linear<{.in = 24, .out = 20, .bias = false}, bf16> plain{};
    plain.weight = m.weight;
    const tensor<float, 7, 20> without = plain(x) + m.bias;
    EXPECT_LT(greatest_difference(reference::of(without), reference::of(y)), 2e-5);
}
TEST(narrow_weights, layers_of_bf16_are_near_those_of_floats) {
    static nn::encoder_layer<small, bf16> m{};
    nn::init::generator random(7);
    nn::init::reset_parameters(m, random);
    const auto x = nn::init::randn<float, 20, 32>(random);
    const tensor<float, 20, 32> y = m(x);
    const double most =
        greatest_difference(reference::of(y), state::encoder_layer(state::of(m), "", small_shape, reference::of(x)));
    EXPECT_LT(most, 0.05);
    EXPECT_GT(most, 1e-4);
}

TEST(narrow_weights, an_embedding_and_its_scores) {
    static nn::embedding<{.entries = 50, .size = 24}, float, bf16> words{};
    nn::init::generator random(2);
    nn::init::reset_parameters(words, random);
    const tensor<float, 3, 24> rows = words(tensor<int, 3>{7, 49, 0});
    const tensor<float, 3, 50> scores = words.scores(rows);
    const std::size_t tokens[]{7, 49, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t c = 0; c < 24; ++c) ASSERT_EQ(rows(i, c), static_cast<float>(words.weight(tokens[i], c)));
        for (std::size_t t = 0; t < 50; ++t) {
            double sum = 0;
            for (std::size_t c = 0; c < 24; ++c)
                sum += static_cast<double>(rows(i, c)) * static_cast<double>(static_cast<float>(words.weight(t, c)));
            ASSERT_NEAR(scores(i, t), sum, 2e-5) << t;
        }
    }
}

// Keys are in blocks of 128: rows of a prompt as they are computed and from memory, whole blocks and single rows.
TEST(narrow_weights, a_cache_is_the_one_of_rounded_rows) {
    static nn::kv_cache<bf16, 512, 2, 16> cache;
    static_assert(decltype(cache)::key_blocks == 4 && sizeof cache < sizeof(nn::kv_cache<float, 512, 2, 16>) * 5 / 9);
    nn::init::generator random(3);
    static const auto k = nn::init::randn<float, 2, 160, 16>(random), v = nn::init::randn<float, 2, 160, 16>(random);
    cache.prefill(tensor<float, 2, 150, 16>(slice<1, 0, 150>(k)), tensor<float, 2, 150, 16>(slice<1, 0, 150>(v)));
    cache.prefill(slice<1, 150, 159>(k) * 1.0f, slice<1, 150, 159>(v) * 1.0f);
    const auto last_of = [](const auto& rows) {
        return generate<float, 2, 16>([&](auto h, auto i) { return rows(h, 159, i); });
    };
    cache.append(last_of(k), last_of(v));
    const auto rounded = [](const auto& rows) { return reference::map(reference::of(rows), nearest); };
    const tensor<float, 2, 160, 16> kept = slice<1, 0, 160>(cache.keys());
    reference::expect_near(kept, rounded(k), 0);
    const auto q = nn::init::randn<float, 2, 5, 16>(random);
    reference::attention_options options;
    options.keep = [](const reference::index&, std::size_t query, std::size_t key) { return key <= 155 + query; };
    const tensor<float, 2, 5, 16> several = cache.attend(q);
    reference::expect_near(several, reference::attend(reference::of(q), rounded(k), rounded(v), options).values, 4e-6);
    const tensor<float, 2, 1, 16> one = slice<1, 4, 5>(q);
    const tensor<float, 2, 1, 16> last = cache.attend(one);
    reference::expect_near(last, reference::attend(reference::of(one), rounded(k), rounded(v)).values, 4e-6);
}

// [out, in] of the file is turned and rounded.
TEST(narrow_weights, are_loaded_from_floats_and_from_16_bits) {
    std::string f32, brain, half;
    std::vector<float> values;
    for (int i = 0; i < 24 * 20; ++i) {
        values.push_back(std::ldexp(1 + static_cast<float>(i) / 999, i % 5 - 2));
        f32 += bytes_of<float>({values.back()});
        brain += bytes_of<std::uint16_t>({std::bit_cast<std::uint16_t>(bf16(values.back()))});
        half += bytes_of<std::uint16_t>({std::bit_cast<std::uint16_t>(f16(values.back()))});
    }
    std::string bias;
    for (int i = 0; i < 20; ++i) bias += bytes_of<float>({0.1f});
    static narrow_linear m;
    static nn::linear<{.in = 24, .out = 20}, float, f16> h;
    static linear wide;
    for (const auto& [type, bytes] : {std::pair{"F32", f32}, {"BF16", brain}, {"F16", half}}) {
        const auto file = test::safetensors({{"weight", type, "20,24", bytes}, {"bias", "F32", "20", bias}});
        m = {}, h = {}, wide = {};
        ASSERT_TRUE(io::load(m, file)) << type;
        ASSERT_TRUE(io::load(h, file));
        ASSERT_TRUE(io::load(wide, file));
        for (std::size_t i = 0; i < values.size(); ++i) {
            const float x = values[i], read = type[0] == 'B'   ? static_cast<float>(bf16(x))
                                              : type[1] == '1' ? static_cast<float>(f16(x))
                                                               : x;
            ASSERT_EQ(wide.weight(i % 24, i / 24), read) << type;
            ASSERT_EQ(static_cast<float>(m.weight(i % 24, i / 24)), static_cast<float>(bf16(read))) << type;
            ASSERT_EQ(static_cast<float>(h.weight(i % 24, i / 24)), static_cast<float>(f16(read))) << type;
        }
        EXPECT_EQ(m.bias(3), 0.1f);
    }
}

}  // namespace
