// SPDX-License-Identifier: BSL-1.0
// Modules whose second products of feed-forward blocks have weights of a type of their own.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "nn/outliers.hpp"

namespace {

using namespace ashlar;
using test::encoder, test::file_of;

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
static_assert(std::is_same_v<decltype(nn::feed_forward<{.embed = 64, .hidden = 128}, float, weights>::linear2),
                             nn::linear<{.in = 128, .out = 64}, float, bf16>>);
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
    static nn::feed_forward<{.embed = 64, .hidden = 128}, float, weights> m{};
    static tensor<float, 8, 64> x;
    const auto plan = explain(m(x));
    EXPECT_TRUE(plan.contains("[64, 128] in 8 bits, outliers spread"));
    EXPECT_TRUE(plan.contains("[128, 64] packed in 16 bits"));
}

}  // namespace
