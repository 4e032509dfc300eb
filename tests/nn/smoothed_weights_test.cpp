// SPDX-License-Identifier: BSL-1.0
// Modules with weights in 8 bits whose outliers are spread: files and images, and an encoder with the outliers that
// trained ones have.
#include <cstring>
#include <string>

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

// Second products of feed-forward blocks with weights of a type of their own.
using bytes = smoothed<std::int8_t>;
using weights = nn::mixed<bytes, bf16>;

using block = nn::feed_forward<{.embed = 64, .hidden = 128}, float, weights>;
static_assert(std::is_same_v<decltype(block::linear1.weight), quantized<smoothed<float>, 64, 128>>);
static_assert(std::is_same_v<decltype(block::linear2.weight), packed<bf16, 128, 64>>);
using gated = nn::feed_forward<{.embed = 64, .hidden = 128, .gated = true}, float, nn::mixed<std::int8_t, float>>;
static_assert(std::is_same_v<decltype(gated::up_proj.weight), quantized<float, 64, 128>>);
static_assert(std::is_same_v<decltype(gated::down_proj.weight), packed<float, 128, 64>>);
// Where there is no block, all is of the first type.
static_assert(std::is_same_v<decltype(nn::linear<{.in = 64, .out = 32}, float, weights>::weight),
                             quantized<smoothed<float>, 64, 32>>);
static_assert(
    std::is_same_v<decltype(nn::embedding<{.entries = 9, .size = 4}, float, weights>::weight), tensor<float, 9, 4>>);
static_assert(std::is_same_v<decltype(nn::embedding<{.entries = 9, .size = 4}, float, nn::mixed<bf16, float>>::weight),
                             tensor<bf16, 9, 4>>);
// Panels are as wide as those of the type.
static_assert(std::is_same_v<decltype(block::linear2), nn::linear<{.in = 128, .out = 64}, float, bf16>>);
static_assert(nn::parameter_count<encoder<weights>> == nn::parameter_count<encoder<float>>);
using second = nn::linear<{.in = 512, .out = 256}, float, bf16>;
using second_in_bytes = nn::linear<{.in = 512, .out = 256}, float, bytes>;
static_assert(nn::parameter_bytes<encoder<weights>> - nn::parameter_bytes<encoder<bytes>> ==
              2 * (nn::parameter_bytes<second> - nn::parameter_bytes<second_in_bytes>));

TEST(mixed_weights, neurons_that_fire_far_stronger_cost_no_accuracy) {
    const auto file = test::file_with_outliers({.column = 30, .neuron = 300});
    EXPECT_LT(test::least_cosine<bytes>(file), 0.98) << "these outliers are none";
    EXPECT_GE(test::least_cosine<weights>(file), 0.997);
    EXPECT_GE(test::least_cosine<weights>(test::file_with_outliers()), 0.997);
}

TEST(mixed_weights, columns_far_larger_cost_no_accuracy_the_other_way_round) {
    const auto file = test::file_with_outliers({.column = 200, .neuron = 10});
    EXPECT_LT(test::least_cosine<std::int8_t>(file), 0.995) << "these outliers are none";
    using turned = nn::mixed<bf16, bytes>;
    EXPECT_GE(test::least_cosine<turned>(file), 0.997);
}

TEST(mixed_weights, files_and_images_have_both_types) {
    static encoder<weights> m{}, back{};
    std::size_t reports = 0;
    ASSERT_TRUE(io::quantize(m, test::file_with_outliers(), [&](const io::quantization_error& e) {
        EXPECT_EQ(e.name.find("linear2"), std::string_view::npos);
        ++reports;
    }));
    EXPECT_EQ(reports, 2u * 5);
    const auto file = file_of(m);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    EXPECT_NE(text.find("\"layers.1.linear1.weight\":{\"dtype\":\"I8\",\"shape\":[512,256]"), std::string_view::npos);
    EXPECT_NE(text.find("\"layers.1.linear2.weight\":{\"dtype\":\"BF16\",\"shape\":[256,512]"), std::string_view::npos);
    ASSERT_TRUE(io::load(back, file));
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    std::vector<std::byte> image(io::image_bytes<encoder<weights>>);
    ASSERT_TRUE(io::save_image(m, image));
    static encoder<weights> third{};
    ASSERT_TRUE(io::load_image(third, image));
    EXPECT_EQ(std::memcmp(&m, &third, sizeof m), 0);
}

TEST(mixed_weights, plan_shows_which_products_round_rows) {
    static block m{};
    static tensor<float, 8, 64> x;
    const auto plan = explain(m(x));
    EXPECT_TRUE(plan.contains("[64, 128] in 8 bits, outliers spread"));
    EXPECT_TRUE(plan.contains("[128, 64] packed in 16 bits"));
}

}  // namespace
