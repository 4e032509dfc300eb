// SPDX-License-Identifier: BSL-1.0
// Images of models with weights in 8 bits, and the layouts that tools make them from: refused where they are another
// model's or wrong.
#include <cstddef>
#include <cstdint>
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

/// A member under a name.
template <class Member, char Name = 'w'>
struct model_of {
    Member member;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit(Name == 'w' ? "w" : "v", self.member);
    }
};
using linear = nn::linear<{.in = 24, .out = 32}, float, std::int8_t>;
using model = model_of<linear>;

/// The memory of its matrix as arrays of their own, and its bias.
struct as_plain_arrays {
    alignas(64) tensor<std::int8_t, 24, 32> elements;
    tensor<float, 32> scales;
    tensor<std::int32_t, 32> sums;
    tensor<float, 32> bias;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.elements);
        visit("scales", self.scales);
        visit("sums", self.sums);
        visit("bias", self.bias);
    }
};

template <class Model>
std::vector<std::byte> image_of(const Model& m) {
    std::vector<std::byte> image(io::image_bytes<Model>);
    EXPECT_TRUE(io::save_image(m, image));
    return image;
}
template <class Model>
std::vector<std::byte> file_of(const Model& m) {
    std::vector<std::byte> file(static_cast<std::size_t>(io::save(m, std::span<std::byte>()).position));
    EXPECT_TRUE(io::save(m, file));
    return file;
}
template <class Model>
std::string layout_text() {
    std::vector<char> text(8192);
    EXPECT_TRUE(io::save_layout<Model>(text));
    return text.data();
}
template <class Model>
io::error error_of(const std::vector<std::byte>& image) {
    static Model read;
    return io::load_image(read, image).error;
}

TEST(quantized_images, of_another_layout) {
    nn::init::generator random(5);
    const auto image = image_of(model{nn::init::make<linear>(random)});
    EXPECT_EQ(error_of<model>(image), io::error::none);
    EXPECT_EQ((error_of<model_of<linear, 'v'>>(image)), io::error::wrong_layout) << "another name";
    static_assert(sizeof(as_plain_arrays) == sizeof(model));
    EXPECT_EQ(error_of<as_plain_arrays>(image), io::error::wrong_layout) << "bytes without scales of their own";
    // As many bytes: 6 groups by 32 columns, whichever of the last rows there are.
    using one_row_fewer = model_of<nn::linear<{.in = 23, .out = 32}, float, std::int8_t>>;
    static_assert(sizeof(one_row_fewer) == sizeof(model));
    EXPECT_EQ(error_of<one_row_fewer>(image), io::error::wrong_layout);
    EXPECT_EQ((error_of<model_of<nn::linear<{.in = 24, .out = 32}>>>(image)), io::error::wrong_size) << "of floats";
}

// A tool keeps the integers of a matrix whose rows have no scales, although none of its columns has 127.
TEST(quantized_images, of_rows_without_scales) {
    using matrix = quantized<unscaled<float>, 24, 32>;
    static model_of<tensor<float, 24, 32>> floats{};
    for (std::size_t i = 0; i < 24 * 32; ++i) floats.member.data()[i] = static_cast<float>(i * 7 % 201) - 100;
    static model_of<matrix> integers{};
    quantize(integers.member, floats.member);
    EXPECT_EQ(integers.member.scales[0], 1);
    std::vector<std::byte> made;
    const std::string text = layout_text<model_of<matrix>>();
    EXPECT_NE(text.find(" 16x4x0 w\n"), std::string::npos) << text;
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text, layout), "");
    ASSERT_TRUE(image_tool::make_image(layout, file_of(floats), {}, {}, made));
    EXPECT_EQ(made, image_of(integers));
    EXPECT_EQ((error_of<model_of<quantized<float, 24, 32>>>(made)), io::error::wrong_layout);
}

// The tool reads a file of floats to its end.
TEST(quantized_images, truncated) {
    std::vector<std::byte> file = file_of(model_of<nn::linear<{.in = 24, .out = 32}>>{}), made;
    const std::string text = layout_text<model>();
    EXPECT_NE(text.find(" 16x4 w.weight\n"), std::string::npos) << text;
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text, layout), "");
    EXPECT_TRUE(image_tool::make_image(layout, file, {}, {}, made));
    file.pop_back();
    EXPECT_EQ(image_tool::make_image(layout, file, {}, {}, made).error, io::error::truncated);
}

TEST(quantized_images, wrong_lines_of_a_layout) {
    // 24 x 32 integers, 32 scales and 32 sums.
    const std::string head = "ashlar-layout 1\nmodel 1024 64 little\narray ", good = "0 I8 32x24 0 32 24 1 16x4 w\n";
    const auto wrong = [&](const std::string& line) {
        image_tool::layout layout;
        return image_tool::read_layout(head + line, layout) != "";
    };
    EXPECT_FALSE(wrong(good));
    for (const char* line : {"0 I8 32x24 0 32 24 1 16x5 w\n",   // groups of another size
                             "0 I8 32x24 0 32 24 1 16x w\n",    // no number
                             "0 I8 32x24 0 32 24 1 x4 w\n",     //
                             "0 I8 32x24 0 32 24 1 16x4x w\n",  //
                             "0 I8 32x24 0 32 24 1 0x4 w\n",    // no columns
                             "0 F32 8x24 0 8 24 1 16x4 w\n",    // floats
                             "0 I8 768 0 768 1 1 16x4 w\n",     // no matrix
                             "32 I8 16x24 0 16 24 1 16x4 w\n",  // no alignment
                             "64 I8 32x24 0 32 24 1 16x4 w\n",  // sums behind the end of the model
                             "0 I8 33x24 0 33 24 1 16x4 w\n"})  // a panel more
        EXPECT_TRUE(wrong(line)) << line;
}

template <class Matrix>
concept has_plain_elements = requires(Matrix& m) { nn::detail::matrix_element(m, 0, 0); };
static_assert(has_plain_elements<tensor<float, 3, 4>> && has_plain_elements<const packed<float, 3, 4>>);
static_assert(!has_plain_elements<quantized<float, 3, 4>> && !has_plain_elements<const quantized<float, 3, 4>>,
              "its elements are not the numbers it holds");

}  // namespace
