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

#include "nn/outliers.hpp"
#include "tools/image_maker.hpp"

namespace {

using namespace ashlar;

using test::encoder, test::file_of;

using matrix = decltype(nn::linear<{.in = 24, .out = 20}, float, smoothed<std::int8_t>>::weight);
static_assert(std::is_same_v<matrix, quantized<smoothed<float>, 24, 20>>);
static_assert(std::is_same_v<decltype(nn::embedding<{.entries = 9, .size = 4}, float, smoothed<std::int8_t>>::weight),
                             tensor<float, 9, 4>>);
static_assert(nn::parameter_count<encoder<smoothed<std::int8_t>>> == nn::parameter_count<encoder<float>>);
static_assert(nn::parameter_bytes<encoder<smoothed<std::int8_t>>> == nn::parameter_bytes<encoder<std::int8_t>>);

TEST(smoothed_weights, outliers_cost_no_accuracy) {
    const auto file = test::file_with_outliers();
    const double plain = test::least_cosine<std::int8_t>(file),
                 spread = test::least_cosine<smoothed<std::int8_t>>(file);
    EXPECT_LT(plain, 0.99) << "these outliers are none";
    EXPECT_GE(spread, 0.995);
    EXPECT_GE(test::least_cosine<bf16>(file), 0.999);
}

TEST(smoothed_weights, saved_models_come_back_bit_by_bit) {
    static encoder<smoothed<std::int8_t>> m{}, back{};
    const auto floats = test::file_with_outliers();
    std::size_t reports = 0;
    double greatest = 0;
    ASSERT_TRUE(io::quantize(m, floats, [&](const io::quantization_error& e) {
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
    ASSERT_TRUE(io::load(plain, floats));
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
    EXPECT_NE(std::string_view(text.data()).find(" 16x4x32 weight\n"), std::string_view::npos);
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text.data(), layout), "");
    std::vector<std::byte> made;
    ASSERT_TRUE(image_tool::make_image(layout, file_of(wide), {}, {}, made));
    EXPECT_EQ(made, image);
    // An image of the other kind is none of this one.
    static nn::linear<{.in = 128, .out = 20}, float, std::int8_t> plain{};
    EXPECT_EQ(io::load_image(plain, image).error, io::error::wrong_layout);
    for (const char* const wrong : {"16x4x3", "16x4x64", "16x4x1", "16x4x", "16x4x32x2"}) {
        std::string changed(text.data());
        changed.replace(changed.find("16x4x32"), 7, wrong);
        EXPECT_NE(image_tool::read_layout(changed, layout), "") << wrong;
    }
}

}  // namespace
