// SPDX-License-Identifier: BSL-1.0
// Modules with weights in 8 bits whose outliers are spread: files and images, and an encoder with the outliers that
// trained ones have.
#include <algorithm>
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

inline constexpr nn::encoder_options options{
    .layer = {.embed = 256, .heads = 4, .hidden = 512, .activation = nn::activation::gelu}, .layers = 2};
template <class Weight>
using encoder = nn::encoder<options, float, Weight>;

using matrix = decltype(nn::linear<{.in = 24, .out = 20}, float, smoothed<std::int8_t>>::weight);
static_assert(std::is_same_v<matrix, quantized<smoothed<float>, 24, 20>>);
static_assert(std::is_same_v<decltype(nn::embedding<{.entries = 9, .size = 4}, float, smoothed<std::int8_t>>::weight),
                             tensor<float, 9, 4>>);
static_assert(nn::parameter_count<encoder<smoothed<std::int8_t>>> == nn::parameter_count<encoder<float>>);
static_assert(nn::parameter_bytes<encoder<smoothed<std::int8_t>>> == nn::parameter_bytes<encoder<std::int8_t>>);

template <class Model>
std::vector<std::byte> file_of(const Model& m) {
    std::vector<std::byte> file(static_cast<std::size_t>(io::save(m, std::span<std::byte>()).position));
    EXPECT_TRUE(io::save(m, file));
    return file;
}

/// A model with what training gives and chance does not: a column of rows between layers that is far larger than the
/// others, and a neuron of each block that fires far stronger, whose weights are small.
const std::vector<std::byte>& file_with_outliers() {
    static const std::vector<std::byte> file = [] {
        static encoder<float> m{};
        nn::init::generator random(11);
        nn::init::reset_parameters(m, random);
        nn::for_each_parameter(m, [](const nn::parameter& p) {
            const auto at = [&](std::size_t row, std::size_t column) -> float& {
                return static_cast<float*>(p.data)[p.offset(row, column)];
            };
            const bool of_norm = p.name.find(".norm") != std::string_view::npos;
            // Layers that change their rows, as those by chance hardly do.
            if (!of_norm && p.rank == 2)
                for (std::size_t row = 0; row < p.rows; ++row)
                    for (std::size_t column = 0; column < p.columns; ++column) at(row, column) *= 2;
            if (of_norm && p.name.ends_with("bias")) at(5, 0) = 30;
            if (p.name.ends_with("linear1.weight") || p.name.ends_with("in_proj_weight"))
                for (std::size_t row = 0; row < p.rows; ++row) at(row, 5) *= 0.1f;
            if (p.name.ends_with("linear1.bias")) at(31, 0) = 30;
            if (p.name.ends_with("linear2.weight"))
                for (std::size_t row = 0; row < p.rows; ++row) at(row, 31) *= 0.1f;
        });
        return file_of(m);
    }();
    return file;
}

/// The least cosine of 20 sentences of 2 to 6 rows, of their means but for the outlier, to those of floats.
template <class Weight>
double least_cosine() {
    static encoder<float> exact{};
    static encoder<Weight> m{};
    EXPECT_TRUE(io::load(exact, file_with_outliers()));
    EXPECT_TRUE(io::load(m, file_with_outliers()));
    nn::init::generator random(12);
    double least = 1;
    for (int sentence = 0; sentence < 20; ++sentence) {
        const auto x = nn::init::randn<float, 6, 256>(random);
        const int words = 2 + sentence % 5;
        const auto mean_of = [&](const auto& model) {
            const tensor<float, 6, 256> y = model(x, keys_below(words));
            return eval(masked_mean<0>(y, keys_below(words)));
        };
        const tensor<float, 256> a = mean_of(m), b = mean_of(exact);
        double both = 0, left = 0, right = 0;
        for (std::size_t i = 0; i < 256; ++i) {
            if (i == 5) continue;
            both += double(a(i)) * double(b(i));
            left += double(a(i)) * double(a(i));
            right += double(b(i)) * double(b(i));
        }
        least = (std::min)(least, both / std::sqrt(left * right));
    }
    return least;
}

TEST(smoothed_weights, outliers_cost_no_accuracy) {
    const double plain = least_cosine<std::int8_t>(), spread = least_cosine<smoothed<std::int8_t>>();
    EXPECT_LT(plain, 0.99) << "these outliers are none";
    EXPECT_GE(spread, 0.995);
    EXPECT_GE(least_cosine<bf16>(), 0.999);
}

TEST(smoothed_weights, saved_models_come_back_bit_by_bit) {
    static encoder<smoothed<std::int8_t>> m{}, back{};
    std::size_t reports = 0;
    double greatest = 0;
    ASSERT_TRUE(io::quantize(m, file_with_outliers(), [&](const io::quantization_error& e) {
        ++reports;
        greatest = (std::max)(greatest, e.relative);
    }));
    EXPECT_EQ(reports, 2u * 6);
    EXPECT_GT(greatest, 0.002);
    EXPECT_LT(greatest, 0.012);
    const auto file = file_of(m);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    EXPECT_NE(text.find("\"layers.0.self_attn.in_proj_weight\":{\"dtype\":\"I8\",\"shape\":[768,256]"),
              std::string_view::npos);
    EXPECT_NE(text.find("\"layers.0.self_attn.in_proj_weight_smoothed_scale\":{\"dtype\":\"F32\",\"shape\":[768]"),
              std::string_view::npos);
    reports = 0;
    const io::result r = io::quantize(back, file, [&](const io::quantization_error&) { ++reports; });
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_EQ(reports, 0u);
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    EXPECT_EQ(file, file_of(back));
    // Integers of one kind mean nothing to the other.
    static encoder<std::int8_t> plain{};
    EXPECT_EQ(io::load(plain, file).error, io::error::missing);
    ASSERT_TRUE(io::load(plain, file_with_outliers()));
    EXPECT_EQ(io::load(m, file_of(plain)).error, io::error::missing);
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0) << "an error changes nothing";
}

TEST(smoothed_weights, initial_values_and_images) {
    using linear = nn::linear<{.in = 128, .out = 20}, float, smoothed<std::int8_t>>;
    nn::init::generator random(1), again(1);
    const auto wide = nn::init::make<nn::linear<{.in = 128, .out = 20}>>(random);
    static const auto m = nn::init::make<linear>(again);
    for (std::size_t i = 0; i < 128; ++i)
        for (std::size_t o = 0; o < 20; ++o) ASSERT_NEAR(m.weight(i, o), wide.weight(i, o), 0.51f * m.weight.scales[o]);
    static linear back{};
    std::vector<std::byte> image(io::image_bytes<linear>);
    ASSERT_TRUE(io::save_image(m, image));
    ASSERT_TRUE(io::load_image(back, image));
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    // The tool rounds the floats of a file.
    std::vector<char> text(4096);
    ASSERT_TRUE(io::save_layout<linear>(text));
    EXPECT_NE(std::string_view(text.data()).find(" 16x4x8 weight\n"), std::string_view::npos);
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text.data(), layout), "");
    std::vector<std::byte> made;
    ASSERT_TRUE(image_tool::make_image(layout, file_of(wide), {}, {}, made));
    EXPECT_EQ(made, image);
    // An image of the other kind is none of this one.
    static nn::linear<{.in = 128, .out = 20}, float, std::int8_t> plain{};
    EXPECT_EQ(io::load_image(plain, image).error, io::error::wrong_layout);
    for (const char* const wrong : {"16x4x3", "16x4x32", "16x4x1", "16x4x", "16x4x8x2"}) {
        std::string changed(text.data());
        changed.replace(changed.find("16x4x8"), 6, wrong);
        EXPECT_NE(image_tool::read_layout(changed, layout), "") << wrong;
    }
}

}  // namespace
