// SPDX-License-Identifier: BSL-1.0
// tools/make_image against the library: from the layout and a weight file alone it makes the image that save_image
// makes.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <tools/image_maker.hpp>

#include <ashlar/expr/nodes/packed.hpp>

#include "models.hpp"
#include "saved.hpp"

namespace ashlar {
namespace {

using test::image_of;
using test::message;
using test::numbered_model;
using test::saved;
using test::small_model;

template <class M>
std::string layout_of() {
    std::vector<char> text(8192);
    EXPECT_TRUE(io::save_layout<M>(text));
    return text.data();
}

TEST(make_image, is_the_image_that_the_library_makes) {
    const small_model m = numbered_model();
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(layout_of<small_model>(), layout), "");
    EXPECT_EQ(layout.bytes, sizeof(small_model));
    std::vector<std::byte> image;
    ASSERT_EQ(message(image_tool::make_image(layout, saved(m), {}, {}, image)), "no error");
    EXPECT_EQ(image, image_of(m));

    constexpr io::name_rule rules[]{{"layers.*.self_attn.in_proj_weight[*]", "h.*.*.weight"},
                                    {"layers.*.linear1.weight", "h.*.fc", true}};
    ASSERT_TRUE(image_tool::make_image(layout, saved(m, rules), rules, {}, image));
    EXPECT_EQ(image, image_of(m));
    EXPECT_EQ(image_tool::make_image(layout, saved(m, rules), {}, {}, image).error, io::error::missing);
}

struct packed_model {
    basic_packed<float, 4, std::size_t{6}, std::size_t{10}> weight;
    basic_packed<float, 16, std::size_t{6}, std::size_t{10}> one_panel;
    tensor<float> scalar;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", nn::transposed(self.weight));
        visit("one_panel", self.one_panel);
        visit("scalar", self.scalar);
    }
};

TEST(make_image, panels_and_scalars) {
    packed_model m{};
    float next = 1;
    for (float& x : m.weight.elements) x = next++;
    for (float& x : m.one_panel.elements) x = next++;
    m.scalar() = next;
    const std::string text = layout_of<packed_model>();
    EXPECT_NE(text.find(" F32 10x6 0 10 6 1 4 weight\n"), std::string::npos) << text;
    EXPECT_NE(text.find(" F32 6x10 0 6 10 0 0 one_panel\n"), std::string::npos) << text;  // a plain matrix
    EXPECT_NE(text.find(" F32 scalar 0 1 1 0 0 scalar\n"), std::string::npos) << text;
    image_tool::layout layout;
    ASSERT_EQ(image_tool::read_layout(text, layout), "");
    std::vector<std::byte> image;
    ASSERT_EQ(message(image_tool::make_image(layout, saved(m), {}, {}, image)), "no error");
    EXPECT_EQ(image, image_of(m));
}

TEST(make_image, wrong_layouts) {
    const std::string good = "ashlar-layout 1\nmodel 64 64 little\narray 0 F32 2x3 0 2 3 0 0 w\n";
    image_tool::layout layout;
    EXPECT_EQ(image_tool::read_layout(good, layout), "");
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return image_tool::read_layout(text, layout);
    };
    EXPECT_EQ(image_tool::read_layout("", layout), "this is no layout of version 1");
    EXPECT_EQ(with("layout 1", "layout 2"), "this is no layout of version 1");
    EXPECT_EQ(with("little", "big"), "only layouts of little-endian machines are supported");
    EXPECT_NE(with("model 64", "model x"), "");
    for (const char* narrow : {"array 0 F16 2x3 0 2 3 0 0 w", "array 0 BF16 2x3 0 2 3 0 0 w"})
        EXPECT_EQ(with("array 0 F32 2x3 0 2 3 0 0 w", narrow), "");
    // An array that is not within the model would be written outside of it.
    for (const char* array :
         {"array 44 F32 2x3 0 2 3 0 0 w", "array 65 F32 2x3 0 2 3 0 0 w",
          "array 18446744073709551615 F32 2x3 0 2 3 0 0 w", "array 0 F32 2x3 0 20 3 0 0 w",
          "array 0 F32 2x3 1 2 3 0 0 w", "array 0 F32 2x3 0 2 9 0 0 w", "array 0 F32 2x0 0 2 0 0 0 w",
          "array 0 F32 99999999999x99999999999 0 1 1 0 0 w", "array 0 F17 2x3 0 2 3 0 0 w",
          "array 0 F32 2x 0 2 3 0 0 w", "array 0 F32 2x3 0 2 3 0 w", "array 0 F32 2x3 0 2 3 0 0",
          "arrays 0 F32 2x3 0 2 3 0 0 w", "array -1 F32 2x3 0 2 3 0 0 w", "array 0 I8 2x3 0 2 3 0 16x4 w",
          "array 0 I8 2x3 0 2 3 0 16x3 w", "array 0 I8 2x3 0 2 3 5 16x4 w", "array 0 F32 2x3 0 2 3 0 16x4 w"})
        EXPECT_NE(with("array 0 F32 2x3 0 2 3 0 0 w", array), "") << array;
}

TEST(make_image, source_for_read_only_memory) {
    const std::vector<std::byte> image{std::byte{0}, std::byte{255}, std::byte{10}};
    std::ostringstream header, assembly;
    image_tool::put_header(header, "name", image);
    EXPECT_NE(header.str().find("alignas(64) inline constexpr unsigned char name[3]{\n0,255,10,\n};"),
              std::string::npos)
        << header.str();
    image_tool::put_assembly(assembly, "name", image);
    EXPECT_NE(assembly.str().find(".balign 64\n    .globl name\n"), std::string::npos);
    EXPECT_NE(assembly.str().find("name:\n    .byte 0,255,10\nname_end:\n"), std::string::npos) << assembly.str();
}

}  // namespace
}  // namespace ashlar
