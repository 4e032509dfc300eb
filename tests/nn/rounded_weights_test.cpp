// SPDX-License-Identifier: BSL-1.0
// Modules with weights in 8 bits and of int4: rounded when they are loaded or drawn, saved, in images, and how far
// their results are from those of floats.
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <tests/nn/state.hpp>

#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

#include "tools/image_maker.hpp"

namespace {

using namespace ashlar;

/// Errors of rounding, by the element of the weights.
struct expectations {
    double least_error, most_error, greatest_error;
};
template <class Weight>
inline constexpr bool has_scales = std::is_same_v<Weight, std::int8_t>;
template <class Weight>
inline constexpr expectations wanted =
    has_scales<Weight> ? expectations{0.001, 0.01, 0.01} : expectations{0.02, 0.15, 0.1};

template <class Weight>
using linear = nn::linear<{.in = 44, .out = 20}, float, Weight>;
static_assert(std::is_same_v<decltype(linear<std::int8_t>::weight), quantized<float, 44, 20>>);
static_assert(std::is_same_v<decltype(linear<int4>::weight), quantized<int4, 44, 20>>);
static_assert(std::is_same_v<decltype(linear<int4>::bias), tensor<float, 20>>);
static_assert(nn::parameter_bytes<linear<std::int8_t>> == 44 * 20 + 20 * 8 + 20 * 4);
static_assert(nn::parameter_bytes<linear<int4>> == 2 * 32 * 18 + 20 * 4);
static_assert(nn::parameter_count<linear<int4>> == 44 * 20 + 20);
static_assert(std::is_same_v<decltype(nn::embedding<{.entries = 7, .size = 4}, float, int4>::weight),
                             decltype(nn::embedding<{.entries = 7, .size = 4}>::weight)>);

inline constexpr nn::encoder_layer_options small{
    .embed = 32, .heads = 4, .hidden = 48, .activation = nn::activation::gelu};
template <class Weight>
using layer = nn::encoder_layer<small, float, Weight>;

template <class Model>
std::vector<std::byte> file_of(const Model& m) {
    std::vector<std::byte> file(static_cast<std::size_t>(io::save(m, std::span<std::byte>()).position));
    EXPECT_TRUE(io::save(m, file));
    return file;
}

/// The cosine of the angle between two results.
[[gnu::noinline]] double cosine(const reference::array& a, const reference::array& b) {
    double both = 0, left = 0, right = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        both += a.values[i] * b.values[i];
        left += a.values[i] * a.values[i];
        right += b.values[i] * b.values[i];
    }
    return both / std::sqrt(left * right);
}

template <class Model>
Model drawn(std::uint32_t seed) {
    nn::init::generator random(seed);
    return nn::init::make<Model>(random);
}

template <class>
class rounded_weights : public testing::Test {};
using elements = testing::Types<std::int8_t, int4>;
TYPED_TEST_SUITE(rounded_weights, elements);

TYPED_TEST(rounded_weights, initial_values_are_rounded) {
    const auto r = drawn<linear<TypeParam>>(1);
    decltype(linear<TypeParam>::weight) expected;
    quantize(expected, drawn<linear<float>>(1).weight);
    EXPECT_EQ(std::memcmp(&expected, &r.weight, sizeof expected), 0);
    nn::init::generator random(2);
    const auto x = nn::init::randn<float, 5, 44>(random);
    const tensor<float, 5, 20> y = r(x), by_hand = matmul(x, expected) + r.bias;
    EXPECT_TRUE(all(y == by_hand));
}

// Whose taps files have in another order.
TYPED_TEST(rounded_weights, convolutions) {
    constexpr nn::conv1d_options options{.in = 24, .out = 12, .kernel = 3};
    using convolution = nn::conv1d<options, float, TypeParam>;
    const auto floats = drawn<nn::conv1d<options>>(5);
    const auto rounded = drawn<convolution>(5);
    static convolution loaded{}, back{};
    ASSERT_TRUE(io::load(loaded, file_of(floats)));
    ASSERT_TRUE(io::load(back, file_of(loaded)));
    for (std::size_t c = 0; c < 12; ++c)
        for (std::size_t r = 0; r < 72; ++r) {
            EXPECT_NEAR(rounded.weight(r, c), floats.weight(r, c), 2 * wanted<TypeParam>.greatest_error / 10)
                << r << ", " << c;
            EXPECT_EQ(loaded.weight(r, c), rounded.weight(r, c)) << r << ", " << c;
            EXPECT_EQ(back.weight(r, c), rounded.weight(r, c)) << r << ", " << c;
        }
}

// Floats of a file are rounded and the errors reported. What is saved then comes back bit by bit.
TYPED_TEST(rounded_weights, files) {
    static const auto at_once = drawn<layer<TypeParam>>(2);
    static layer<TypeParam> r{}, back{};
    std::vector<std::string> names;
    std::size_t rows = 0;
    io::result result = io::quantize(r, file_of(drawn<layer<float>>(2)), [&](const io::quantization_error& e) {
        names.emplace_back(e.name);
        rows += e.rows;
        EXPECT_GT(e.relative, wanted<TypeParam>.least_error);
        EXPECT_LT(e.relative, wanted<TypeParam>.most_error);
        EXPECT_GT(e.greatest, 0);
        EXPECT_LT(e.greatest, wanted<TypeParam>.greatest_error);
    });
    ASSERT_TRUE(result) << result.message().c_str();
    EXPECT_EQ(names.size(), 6u) << "three pieces of the projections, the output, two of the block";
    EXPECT_EQ(names[0], "self_attn.in_proj_weight");
    EXPECT_EQ(rows, 32u * 3 + 32 + 48 + 32);
    EXPECT_EQ(std::memcmp(&r, &at_once, sizeof r), 0);

    const auto file = file_of(r);
    const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
    EXPECT_NE(text.find("\"self_attn.in_proj_weight\":{\"dtype\":\"" +
                        std::string(has_scales<TypeParam> ? "I8" : "F32") + "\",\"shape\":[96,32]"),
              text.npos);
    EXPECT_EQ(text.find("\"self_attn.in_proj_weight_scale\":{\"dtype\":\"F32\",\"shape\":[96]") != text.npos,
              has_scales<TypeParam>);
    bool reported = false;
    result = io::quantize(back, file, [&](const io::quantization_error&) { reported = true; });
    ASSERT_TRUE(result) << result.message().c_str();
    EXPECT_EQ(reported, !has_scales<TypeParam>);
    EXPECT_EQ(std::memcmp(&r, &back, sizeof r), 0);
    EXPECT_EQ(file, file_of(back));
}

TYPED_TEST(rounded_weights, files_that_do_not_fit) {
    static auto m = drawn<linear<TypeParam>>(4);
    static const auto before = m;
    const auto load = [](const auto& weight, const auto&... scales) {
        const tensor<float, 20> bias{};
        const std::tuple all(io::named("weight", weight), io::named("weight_scale", scales)...,
                             io::named("bias", bias));
        return io::load(m, file_of(all)).error;
    };
    const tensor<float, 20> scales{};
    tensor<std::int8_t, 20, 44> integers{};
    EXPECT_EQ(load(tensor<float, 44, 20>{}), io::error::wrong_shape);
    EXPECT_EQ(load(integers), has_scales<TypeParam> ? io::error::missing : io::error::wrong_dtype)
        << "integers without scales";
    if constexpr (has_scales<TypeParam>) {
        integers(7, 3) = -128;
        EXPECT_EQ(load(integers, scales), io::error::value_out_of_range);
    }
    EXPECT_EQ(std::memcmp(&m, &before, sizeof m), 0);
    if constexpr (has_scales<TypeParam>) {
        integers(7, 3) = 127;
        EXPECT_EQ(load(integers, scales), io::error::none);
    }
    EXPECT_EQ(load(tensor<float, 20, 44>{}), io::error::none);
    EXPECT_EQ(load(tensor<bf16, 20, 44>{}), io::error::none);
}

TYPED_TEST(rounded_weights, images) {
    using other = std::conditional_t<std::is_same_v<TypeParam, int4>, std::int8_t, int4>;
    static const auto m = drawn<layer<TypeParam>>(6);
    static layer<TypeParam> back{};
    std::vector<std::byte> image(io::image_bytes<layer<TypeParam>>);
    ASSERT_TRUE(io::save_image(m, image));
    ASSERT_TRUE(io::load_image(back, image));
    EXPECT_EQ(std::memcmp(&m, &back, sizeof m), 0);
    static layer<other> of_others{};
    EXPECT_FALSE(io::load_image(of_others, image));

    // The tool makes the same bytes from floats.
    std::vector<char> text(8192);
    const io::result saved = io::save_layout<layer<TypeParam>>(text);
    ASSERT_TRUE(saved) << saved.message().c_str();
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text.data(), layout), "");
    std::vector<std::byte> made;
    std::size_t reports = 0;
    const io::result r = image_tool::make_image(layout, file_of(drawn<layer<float>>(6)), {}, {}, made,
                                                [&](const io::quantization_error&) { ++reports; });
    ASSERT_TRUE(r) << r.message().c_str();
    EXPECT_EQ(made, image);
    EXPECT_EQ(reports, 6u);
    if constexpr (std::is_same_v<TypeParam, int4>) {
        std::string wrong = text.data();
        ASSERT_NE(wrong.find(" 32x32 "), std::string::npos) << wrong;
        wrong.replace(wrong.find(" 32x32 "), 7, " 16x32 ");
        EXPECT_NE(image_tool::read_layout(wrong, layout), "");
    }
}

TEST(rounded_weights_of_models, decoders_step_by_step) {
    constexpr nn::llama_layer_options options{.embed = 32, .heads = 4, .kv_heads = 2, .hidden = 48};
    static constexpr nn::rope_options turn{.head_width = 8, .positions = 16};
    static const auto floats = drawn<nn::llama_layer<options>>(7);
    static nn::llama_layer<options, float, std::int8_t> rounded{};
    ASSERT_TRUE(io::load(rounded, file_of(floats)));
    nn::init::generator random(8);
    const auto x = nn::init::randn<float, 9, 32>(random);
    const reference::array exact = state::llama_layer(state::of(floats), "", {32, 4, 2}, reference::of(x));
    static nn::kv_cache<float, 16, 2, 8> cache{};
    tensor<float, 9, 32> y;
    for (std::size_t t = 0; t < 9; ++t)
        tensor_view<float, 1, 32>(y.data() + 32 * t) =
            rounded.decode(tensor_view<const float, 1, 32>(x.data() + 32 * t), nn::rope_tables<turn>, cache);
    EXPECT_GT(cosine(exact, reference::of(y)), 0.999);
    EXPECT_LT(cosine(exact, reference::of(y)), 0.999999) << "which the same weights would give";
}

// Some products are more exact than others.
TEST(rounded_weights_of_models, mixed_ones_are_nearer) {
    static const auto m = drawn<layer<float>>(5);
    static layer<int4> rounded{};
    static layer<nn::mixed<int4, bf16>> mixed{};
    ASSERT_TRUE(io::load(rounded, file_of(m)));
    ASSERT_TRUE(io::load(mixed, file_of(m)));
    nn::init::generator random(9);
    const auto x = nn::init::randn<float, 6, 32>(random);
    const reference::array exact =
        state::encoder_layer(state::of(m), "", {{32, 4, 4}, nn::activation::gelu, false}, reference::of(x));
    const tensor<float, 6, 32> y = rounded(x), z = mixed(x);
    EXPECT_GT(cosine(exact, reference::of(y)), 0.98);
    EXPECT_GT(cosine(exact, reference::of(z)), cosine(exact, reference::of(y)));
}

}  // namespace
