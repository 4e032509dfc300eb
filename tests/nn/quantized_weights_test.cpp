// SPDX-License-Identifier: BSL-1.0
// Modules with weights in 8 bits: loaded from files of floats, which rounds them, or of integers; saved; and how far
// their results are from those of floats.
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

using linear = nn::linear<{.in = 24, .out = 20}>;
using rounded_linear = nn::linear<{.in = 24, .out = 20}, float, std::int8_t>;
static_assert(std::is_same_v<decltype(rounded_linear::weight), quantized<float, 24, 20>>);
static_assert(std::is_same_v<decltype(rounded_linear::bias), tensor<float, 20>>);
static_assert(nn::parameter_count<rounded_linear> == 24 * 20 + 20);
static_assert(nn::parameter_bytes<rounded_linear> == 24 * 20 + 20 * 8 + 20 * 4);

inline constexpr nn::encoder_layer_options small{
    .embed = 32, .heads = 4, .hidden = 48, .activation = nn::activation::gelu};
using layer = nn::encoder_layer<small>;
using rounded_layer = nn::encoder_layer<small, float, std::int8_t>;

template <class Model>
std::vector<std::byte> file_of(const Model& m, io::name_map names = {}) {
    std::vector<std::byte> file(static_cast<std::size_t>(io::save(m, std::span<std::byte>(), names).position));
    EXPECT_TRUE(io::save(m, file, names));
    return file;
}

/// The cosine of the angle between two results.
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

TEST(quantized_weights, initial_values_are_rounded) {
    nn::init::generator random(1), again(1);
    const auto l = nn::init::make<linear>(random);
    const auto r = nn::init::make<rounded_linear>(again);
    const tensor<float, 24, 20> weights = l.weight;
    const auto expected = quantize(weights);
    EXPECT_EQ(std::memcmp(&expected, &r.weight, sizeof expected), 0);
    const auto x = nn::init::randn<float, 5, 24>(random);
    const tensor<float, 5, 20> y = r(x), by_hand = matmul(x, expected) + r.bias;
    EXPECT_TRUE(all(y == by_hand));
}

TEST(quantized_weights, initial_values_of_convolutions_are_rounded) {
    constexpr nn::conv1d_options options{.in = 8, .out = 12, .kernel = 3};
    nn::init::generator of_floats(5), of_bytes(5);
    const auto floats = nn::init::make<nn::conv1d<options>>(of_floats);
    const auto bytes = nn::init::make<nn::conv1d<options, float, std::int8_t>>(of_bytes);
    for (std::size_t c = 0; c < 12; ++c) {
        ASSERT_GT(bytes.weight.scales[c], 0);
        for (std::size_t r = 0; r < 24; ++r)
            EXPECT_NEAR(bytes.weight(r, c), floats.weight(r, c), 0.51 * bytes.weight.scales[c]) << r << ", " << c;
    }
}

TEST(quantized_weights, floats_of_files_are_rounded_and_errors_reported) {
    static layer m{};
    static rounded_layer r{}, at_once{};
    nn::init::generator random(2), again(2);
    nn::init::reset_parameters(m, random);
    nn::init::reset_parameters(at_once, again);
    const auto file = file_of(m);
    std::vector<std::string> names;
    std::size_t rows = 0;
    const io::result result = io::quantize(r, file, [&](const io::quantization_error& e) {
        names.emplace_back(e.name);
        rows += e.rows;
        EXPECT_GT(e.relative, 0.001);
        EXPECT_LT(e.relative, 0.01);
        EXPECT_GT(e.greatest, 0);
        EXPECT_LT(e.greatest, 0.01);
    });
    ASSERT_TRUE(result) << result.message().c_str();
    EXPECT_EQ(names.size(), 6u) << "three pieces of the projections, the output, two of the block";
    EXPECT_EQ(names[0], "self_attn.in_proj_weight");
    EXPECT_EQ(rows, 32u * 3 + 32 + 48 + 32);
    EXPECT_EQ(std::memcmp(&r, &at_once, sizeof r), 0);
}

TEST(quantized_weights, saved_models_come_back_bit_by_bit) {
    static rounded_layer m{}, back{};
    nn::init::generator random(3);
    nn::init::reset_parameters(m, random);
    const auto file = file_of(m);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    EXPECT_NE(text.find("\"self_attn.in_proj_weight\":{\"dtype\":\"I8\",\"shape\":[96,32]"), std::string_view::npos);
    EXPECT_NE(text.find("\"self_attn.in_proj_weight_scale\":{\"dtype\":\"F32\",\"shape\":[96]"),
              std::string_view::npos);
    bool reported = false;
    const io::result r = io::quantize(back, file, [&](const io::quantization_error&) { reported = true; });
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_FALSE(reported);
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    EXPECT_EQ(file, file_of(back));
}

TEST(quantized_weights, files_that_do_not_fit) {
    static rounded_linear m{};
    const rounded_linear before = m;
    const auto load = [&](const auto&... arrays) {
        const std::tuple all(arrays...);
        std::vector<std::byte> file(static_cast<std::size_t>(io::save(all, std::span<std::byte>()).position));
        EXPECT_TRUE(io::save(all, file));
        return io::load(m, file).error;
    };
    tensor<std::int8_t, 20, 24> integers{};
    tensor<float, 20, 24> floats{};
    tensor<float, 20> scales{}, bias{};
    const auto weight = io::named("weight", integers);
    const auto rounded = io::named("weight_scale", scales);
    const auto b = io::named("bias", bias);
    EXPECT_EQ(load(weight, b), io::error::missing) << "integers without their scales";
    EXPECT_EQ(load(weight, rounded, b), io::error::none);
    EXPECT_EQ(load(io::named("weight", floats), b), io::error::none);
    integers(7, 3) = -128;
    EXPECT_EQ(load(weight, rounded, b), io::error::value_out_of_range);
    EXPECT_EQ(std::memcmp(&before, &m, sizeof m), 0) << "a model of zeros";
}

TEST(quantized_weights, images) {
    static rounded_layer m{}, back{};
    nn::init::generator random(4);
    nn::init::reset_parameters(m, random);
    std::vector<std::byte> image(io::image_bytes<rounded_layer>);
    ASSERT_TRUE(io::save_image(m, image));
    ASSERT_TRUE(io::load_image(back, image));
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    // The tool rounds the floats of a file.
    static layer wide{};
    nn::init::generator again(4);
    nn::init::reset_parameters(wide, again);
    std::vector<char> text(8192);
    ASSERT_TRUE(io::save_layout<rounded_layer>(text));
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text.data(), layout), "");
    const auto file = file_of(wide);
    std::vector<std::byte> made;
    std::size_t reports = 0;
    const io::result r =
        image_tool::make_image(layout, file, {}, {}, made, [&](const io::quantization_error&) { ++reports; });
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_EQ(made, image);
    EXPECT_EQ(reports, 6u);
}

TEST(quantized_weights, an_encoder_is_near_that_of_floats) {
    static nn::encoder<{.layer = small, .layers = 3}> m{};
    static nn::encoder<{.layer = small, .layers = 3}, float, std::int8_t> r{};
    nn::init::generator random(5);
    nn::init::reset_parameters(m, random);
    const auto file = file_of(m);
    ASSERT_TRUE(io::load(r, file));
    const auto x = nn::init::randn<float, 20, 32>(random);
    const tensor<float, 20, 32> y = r(x), expected = m(x);
    EXPECT_GE(cosine(y, expected), 0.9995);
    const auto mean_of = [](const auto& t) { return eval(normalize<0>(mean<0>(t))); };
    EXPECT_GE(cosine(mean_of(y), mean_of(expected)), 0.995);
}

TEST(quantized_weights, decoding_is_the_call_row_by_row) {
    static nn::llama_decoder<{.block = {.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}, .layers = 2}> m{};
    static nn::llama_decoder<{.block = {.embed = 64, .heads = 8, .kv_heads = 4, .hidden = 172}, .layers = 2}, float,
                             std::int8_t>
        r{};
    constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 16}>;
    nn::init::generator random(6);
    nn::init::reset_parameters(m, random);
    const auto file = file_of(m);
    ASSERT_TRUE(io::load(r, file));
    const auto x = nn::init::randn<float, 7, 64>(random);
    const tensor<float, 7, 64> y = r(x, turn, causal), expected = m(x, turn, causal);
    EXPECT_GE(cosine(y, expected), 0.999);
    static std::array<nn::kv_cache<float, 16, 4, 8>, 2> caches{};
    for (std::size_t i = 0; i < 7; ++i) {
        const tensor<float, 1, 64> row = unsqueeze<0>(x[i]);
        const tensor<float, 1, 64> next = r.decode(row, turn, caches);
        for (std::size_t c = 0; c < 64; ++c) ASSERT_NEAR(next(0, c), y(i, c), 0.02f) << i;
    }
}

}  // namespace
