// SPDX-License-Identifier: BSL-1.0
// Modules with weights of int4: rounded when they are loaded or drawn, saved as floats, in images, and how far their
// results are from those of floats.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "tools/image_maker.hpp"

namespace {

using namespace ashlar;

using linear = nn::linear<{.in = 44, .out = 20}>;
using rounded_linear = nn::linear<{.in = 44, .out = 20}, float, int4>;
static_assert(std::is_same_v<decltype(rounded_linear::weight), quantized<int4, 44, 20>>);
static_assert(std::is_same_v<decltype(rounded_linear::bias), tensor<float, 20>>);
static_assert(nn::parameter_count<rounded_linear> == 44 * 20 + 20);
static_assert(nn::parameter_bytes<rounded_linear> == 2 * 32 * 18 + 20 * 4);
static_assert(std::is_same_v<decltype(nn::embedding<{.entries = 7, .size = 4}, float, int4>::weight),
                             decltype(nn::embedding<{.entries = 7, .size = 4}>::weight)>);

inline constexpr nn::encoder_layer_options small{
    .embed = 32, .heads = 4, .hidden = 48, .activation = nn::activation::gelu};
using layer = nn::encoder_layer<small>;
using rounded_layer = nn::encoder_layer<small, float, int4>;

template <class Model>
std::vector<std::byte> file_of(const Model& m) {
    std::vector<std::byte> file(static_cast<std::size_t>(io::save(m, std::span<std::byte>()).position));
    EXPECT_TRUE(io::save(m, file));
    return file;
}

template <class Left, class Right>
double cosine(const Left& a, const Right& b) {
    double both = 0, left = 0, right = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += double(a.data()[i]) * double(b.data()[i]);
        left += double(a.data()[i]) * double(a.data()[i]);
        right += double(b.data()[i]) * double(b.data()[i]);
    }
    return both / std::sqrt(left * right);
}

TEST(int4_weights, initial_values_are_rounded) {
    nn::init::generator random(1), again(1);
    const auto l = nn::init::make<linear>(random);
    const auto r = nn::init::make<rounded_linear>(again);
    const tensor<float, 44, 20> weights = l.weight;
    quantized<int4, 44, 20> expected;
    quantize(expected, weights);
    EXPECT_EQ(std::memcmp(&expected, &r.weight, sizeof expected), 0);
    const auto x = nn::init::randn<float, 5, 44>(random);
    const tensor<float, 5, 20> y = r(x), by_hand = matmul(x, expected) + r.bias;
    EXPECT_TRUE(all(y == by_hand));
}

TEST(int4_weights, floats_of_files_are_rounded_and_errors_reported) {
    static layer m{};
    static rounded_layer r{}, at_once{};
    nn::init::generator random(2), again(2);
    nn::init::reset_parameters(m, random);
    nn::init::reset_parameters(at_once, again);
    std::vector<std::string> names;
    std::size_t rows = 0;
    const io::result result = io::quantize(r, file_of(m), [&](const io::quantization_error& e) {
        names.emplace_back(e.name);
        rows += e.rows;
        EXPECT_GT(e.relative, 0.02);
        EXPECT_LT(e.relative, 0.15);
        EXPECT_GT(e.greatest, 0);
        EXPECT_LT(e.greatest, 0.1);
    });
    ASSERT_TRUE(result) << result.message().c_str();
    EXPECT_EQ(names.size(), 6u) << "three pieces of the projections, the output, two of the block";
    EXPECT_EQ(names[0], "self_attn.in_proj_weight");
    EXPECT_EQ(rows, 32u * 3 + 32 + 48 + 32);
    EXPECT_EQ(std::memcmp(&r, &at_once, sizeof r), 0);
    const auto x = nn::init::randn<float, 6, 32>(random);
    const tensor<float, 6, 32> y = m(x), z = r(x);
    EXPECT_GT(cosine(y, z), 0.99);
    EXPECT_LT(cosine(y, z), 0.99999) << "which the same weights would give";
}

TEST(int4_weights, saved_models_come_back_bit_by_bit) {
    static rounded_layer m{}, back{};
    nn::init::generator random(3);
    nn::init::reset_parameters(m, random);
    const auto file = file_of(m);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    EXPECT_NE(text.find("\"self_attn.in_proj_weight\":{\"dtype\":\"F32\",\"shape\":[96,32]"), std::string_view::npos);
    EXPECT_EQ(text.find("_scale"), std::string_view::npos);
    const io::result r = io::load(back, file);
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    EXPECT_EQ(file, file_of(back));
}

TEST(int4_weights, convolutions_have_their_taps_in_the_order_of_files) {
    constexpr nn::conv1d_options options{.in = 24, .out = 12, .kernel = 3};
    using convolution = nn::conv1d<options, float, int4>;
    nn::init::generator of_floats(5), of_weights(5);
    const auto floats = nn::init::make<nn::conv1d<options>>(of_floats);
    const auto drawn = nn::init::make<convolution>(of_weights);
    static convolution loaded{}, back{};
    ASSERT_TRUE(io::load(loaded, file_of(floats)));
    ASSERT_TRUE(io::load(back, file_of(loaded)));
    for (std::size_t c = 0; c < 12; ++c)
        for (std::size_t r = 0; r < 72; ++r) {
            EXPECT_NEAR(drawn.weight(r, c), floats.weight(r, c), 0.02) << r << ", " << c;
            EXPECT_EQ(loaded.weight(r, c), drawn.weight(r, c)) << r << ", " << c;
            EXPECT_EQ(back.weight(r, c), drawn.weight(r, c)) << r << ", " << c;
        }
}

TEST(int4_weights, files_that_do_not_fit) {
    static rounded_linear m{};
    nn::init::generator random(4);
    nn::init::reset_parameters(m, random);
    static const rounded_linear before = m;
    const auto load = [&](const auto& weight) {
        tensor<float, 20> bias{};
        const std::tuple all(io::named("weight", weight), io::named("bias", bias));
        return io::load(m, file_of(all)).error;
    };
    EXPECT_EQ(load(tensor<std::int8_t, 20, 44>{}), io::error::wrong_dtype) << "integers need scales of their own";
    EXPECT_EQ(load(tensor<float, 44, 20>{}), io::error::wrong_shape);
    EXPECT_EQ(std::memcmp(&m, &before, sizeof m), 0);
    EXPECT_EQ(load(tensor<bf16, 20, 44>{}), io::error::none);
}

TEST(int4_weights, images) {
    static rounded_layer m{}, back{};
    nn::init::generator random(6);
    nn::init::reset_parameters(m, random);
    std::vector<std::byte> image(io::image_bytes<rounded_layer>);
    ASSERT_TRUE(io::save_image(m, image));
    ASSERT_TRUE(io::load_image(back, image));
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    static nn::encoder_layer<small, float, std::int8_t> of_bytes{};
    EXPECT_FALSE(io::load_image(of_bytes, image));

    // The tool makes the same bytes from floats.
    std::vector<char> text(8192);
    const io::result saved = io::save_layout<rounded_layer>(text);
    ASSERT_TRUE(saved) << saved.message().c_str();
    const std::string words(text.data());
    EXPECT_NE(words.find(" 32x32 "), std::string::npos) << words;
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(words, layout), "");
    std::vector<std::byte> made;
    std::size_t reports = 0;
    const io::result r = image_tool::make_image(layout, file_of(m), {}, {}, made, [&](const auto&) { ++reports; });
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_EQ(made, image);
    EXPECT_EQ(reports, 6u);
    std::string wrong = words;
    wrong.replace(wrong.find(" 32x32 "), 7, " 16x32 ");
    EXPECT_NE(image_tool::read_layout(wrong, layout), "");
}

TEST(int4_weights, decoders_step_by_step) {
    constexpr nn::llama_decoder_options options{.block = {.embed = 64, .heads = 4, .kv_heads = 2, .hidden = 80},
                                                .layers = 2};
    static constexpr nn::rope_options turn{.head_width = 16, .positions = 16};
    using weights = nn::mixed<int4, bf16>;
    static nn::llama_decoder<options> floats{};
    static nn::llama_decoder<options, float, int4> rounded{};
    static nn::llama_decoder<options, float, weights> mixed{};
    nn::init::generator random(7);
    nn::init::reset_parameters(floats, random);
    ASSERT_TRUE(io::load(rounded, file_of(floats)));
    ASSERT_TRUE(io::load(mixed, file_of(floats)));
    const auto x = nn::init::randn<float, 9, 64>(random);
    const tensor<float, 9, 64> exact = floats(x, nn::rope_tables<turn>, causal);
    const tensor<float, 9, 64> y = rounded(x, nn::rope_tables<turn>, causal);
    const tensor<float, 9, 64> z = mixed(x, nn::rope_tables<turn>, causal);
    EXPECT_GT(cosine(exact, y), 0.98);
    EXPECT_GT(cosine(exact, z), cosine(exact, y));
    static std::array<nn::kv_cache<float, 16, 2, 16>, 2> caches{};
    for (std::size_t t = 0; t < 9; ++t) {
        tensor<float, 1, 64> row;
        for (std::size_t i = 0; i < 64; ++i) row(0, i) = x(t, i);
        const tensor<float, 1, 64> step = rounded.decode(row, nn::rope_tables<turn>, caches);
        for (std::size_t i = 0; i < 64; ++i) ASSERT_NEAR(step(0, i), y(t, i), 0.05f) << t << ", " << i;
    }
}

}  // namespace
