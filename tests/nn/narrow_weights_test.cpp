// SPDX-License-Identifier: BSL-1.0
// Modules with weights of f16 and bf16: as those whose float weights have been rounded, and loaded from files of any
// floating-point type.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
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

/// The weights of one module in another, rounded.
template <class From, class To>
void round_weights(const From& from, To& to) {
    std::vector<const float*> arrays;
    std::vector<nn::const_parameter> given;
    nn::for_each_parameter(from, [&](const nn::const_parameter& p) { given.push_back(p); });
    std::size_t n = 0;
    nn::for_each_parameter(to, [&](const nn::parameter& p) {
        const nn::const_parameter& source = given[n++];
        for (std::size_t row = 0; row < p.rows; ++row)
            for (std::size_t column = 0; column < p.columns; ++column) {
                const float x = static_cast<const float*>(source.data)[source.offset(row, column)];
                if (p.kind == nn::element_kind::bf16)
                    static_cast<bf16*>(p.data)[p.offset(row, column)] = bf16(x);
                else if (p.kind == nn::element_kind::f16)
                    static_cast<f16*>(p.data)[p.offset(row, column)] = f16(x);
                else
                    static_cast<float*>(p.data)[p.offset(row, column)] = x;
            }
    });
}
/// The same the other way, exactly: into float weights.
template <class From, class To>
void widen_weights(const From& from, To& to) {
    std::vector<nn::const_parameter> given;
    nn::for_each_parameter(from, [&](const nn::const_parameter& p) { given.push_back(p); });
    std::size_t n = 0;
    nn::for_each_parameter(to, [&](const nn::parameter& p) {
        const nn::const_parameter& source = given[n++];
        for (std::size_t row = 0; row < p.rows; ++row)
            for (std::size_t column = 0; column < p.columns; ++column) {
                const std::size_t at = source.offset(row, column);
                static_cast<float*>(p.data)[p.offset(row, column)] =
                    source.kind == nn::element_kind::bf16
                        ? static_cast<float>(static_cast<const bf16*>(source.data)[at])
                    : source.kind == nn::element_kind::f16
                        ? static_cast<float>(static_cast<const f16*>(source.data)[at])
                        : static_cast<const float*>(source.data)[at];
            }
    });
}

template <class Left, class Right>
void expect_near(const Left& a, const Right& b, float tolerance = 2e-5f) {
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], b.data()[i], tolerance) << i;
}

inline constexpr nn::encoder_layer_options small{
    .embed = 32, .heads = 4, .hidden = 48, .activation = nn::activation::gelu};
using layer = nn::encoder_layer<small>;
using narrow_layer = nn::encoder_layer<small, float, bf16>;

TEST(narrow_weights, an_encoder_layer_is_the_one_with_rounded_weights) {
    static layer drawn{}, rounded{};
    static narrow_layer narrow{}, drawn_narrow{};
    nn::init::generator random(1), again(1);
    nn::init::reset_parameters(drawn, random);
    nn::init::reset_parameters(drawn_narrow, again);
    round_weights(drawn, narrow);
    widen_weights(narrow, rounded);
    EXPECT_EQ(std::memcmp(&narrow, &drawn_narrow, sizeof narrow), 0) << "initial values are rounded, too";
    const auto x = nn::init::randn<float, 20, 32>(random);
    tensor<float, 20, 32> y = narrow(x), expected = rounded(x);
    expect_near(y, expected);
    const auto one = nn::init::randn<float, 1, 32>(random);
    tensor<float, 1, 32> row = narrow(one), expected_row = rounded(one);
    expect_near(row, expected_row);
}

// Elements of bf16, not weights alone: what products take is rounded, too.
using rounding_linear = nn::linear<{.in = 24, .out = 20}, bf16>;
static_assert(std::is_same_v<decltype(rounding_linear::weight), packed<bf16, 24, 20>>);
static_assert(std::is_same_v<decltype(rounding_linear::bias), tensor<bf16, 20>>);

TEST(narrow_weights, a_module_of_bf16_rounds_what_it_multiplies) {
    static rounding_linear m{};
    static narrow_linear exact{};
    nn::init::generator random(6);
    nn::init::reset_parameters(m, random);
    exact.weight = m.weight;
    exact.bias = m.bias;
    const auto x = nn::init::randn<float, 7, 24>(random);
    const tensor<float, 7, 20> y = m(x), expected = exact(cast<bf16>(x)), other = exact(x);
    expect_near(y, expected);
    bool differs = false;
    for (std::size_t i = 0; i < y.size(); ++i) differs = differs || std::abs(y.data()[i] - other.data()[i]) > 1e-4f;
    EXPECT_TRUE(differs);
    static nn::linear<{.in = 24, .out = 20, .bias = false}, bf16> plain{};
    plain.weight = m.weight;
    const tensor<float, 7, 20> without = plain(x) + m.bias;
    expect_near(without, y);
}
TEST(narrow_weights, layers_of_bf16_are_near_those_of_floats) {
    static nn::encoder_layer<small, bf16> m{};
    static layer wide{};
    nn::init::generator random(7);
    nn::init::reset_parameters(m, random);
    widen_weights(m, wide);
    const auto x = nn::init::randn<float, 20, 32>(random);
    const tensor<float, 20, 32> y = m(x), expected = wide(x);
    expect_near(y, expected, 0.05f);
    bool differs = false;
    for (std::size_t i = 0; i < y.size(); ++i) differs = differs || std::abs(y.data()[i] - expected.data()[i]) > 1e-4f;
    EXPECT_TRUE(differs);
}

TEST(narrow_weights, an_embedding_and_its_scores) {
    static nn::embedding<{.entries = 50, .size = 24}, float, bf16> words{};
    static nn::embedding<{.entries = 50, .size = 24}> wide{};
    nn::init::generator random(2);
    nn::init::reset_parameters(words, random);
    widen_weights(words, wide);
    const tensor<int, 3> tokens{7, 49, 0};
    tensor<float, 3, 24> rows = words(tokens), expected = wide(tokens);
    expect_near(rows, expected, 0);
    tensor<float, 3, 50> scores = words.scores(rows), expected_scores = wide.scores(rows);
    expect_near(scores, expected_scores);
}

TEST(narrow_weights, a_model_of_several_layers_takes_and_gives_16_bits) {
    static nn::encoder<{.layer = small, .layers = 2}, float, bf16> m{};
    nn::init::generator random(4);
    nn::init::reset_parameters(m, random);
    const tensor<bf16, 5, 32> x = nn::init::randn<float, 5, 32>(random);
    const tensor<float, 5, 32> wide = x, expected = m(wide);
    const tensor<bf16, 5, 32> y = m(x);
    for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_EQ(static_cast<float>(y.data()[i]), static_cast<float>(bf16(expected.data()[i])));
}

// Keys are in blocks of 128: rows of a prompt as they are computed and from memory, whole blocks and single rows.
TEST(narrow_weights, a_cache_is_the_one_of_rounded_rows) {
    static nn::kv_cache<bf16, 512, 2, 16> cache;
    static nn::kv_cache<float, 512, 2, 16> rounded;
    static_assert(decltype(cache)::key_blocks == 4 && sizeof cache < sizeof rounded * 5 / 9);
    nn::init::generator random(3);
    static const auto k = nn::init::randn<float, 2, 150, 16>(random), v = nn::init::randn<float, 2, 150, 16>(random);
    cache.prefill(k, v);
    rounded.prefill(eval(cast<bf16>(k)), eval(cast<bf16>(v)));
    cache.prefill(slice<1, 0, 9>(k) * 2.0f, slice<1, 0, 9>(v) * 2.0f);
    rounded.prefill(cast<bf16>(slice<1, 0, 9>(k) * 2.0f), cast<bf16>(slice<1, 0, 9>(v) * 2.0f));
    const auto row = nn::init::randn<float, 2, 16>(random), values = nn::init::randn<float, 2, 16>(random);
    cache.append(row, values);
    rounded.append(cast<bf16>(row), cast<bf16>(values));
    const tensor<float, 2, 160, 16> kept = slice<1, 0, 160>(cache.keys()), expected = slice<1, 0, 160>(rounded.keys());
    expect_near(kept, expected, 0);
    const auto q = nn::init::randn<float, 4, 16>(random);
    const tensor<float, 4, 16> y = cache.attend(q), z = rounded.attend(q);
    expect_near(y, z);
    const auto several = nn::init::randn<float, 2, 5, 16>(random);
    const tensor<float, 2, 5, 16> ys = cache.attend(several), zs = rounded.attend(several);
    expect_near(ys, zs);
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
