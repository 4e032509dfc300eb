// SPDX-License-Identifier: BSL-1.0
// Model images are used in place, have the same bytes for the same model, and are refused for another model.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/io/image.hpp>
#include <ashlar/io/image/save_image.hpp>

#include "models.hpp"

namespace ashlar {
namespace {

using test::numbered_model;
using test::same_elements;
using test::small_model;

std::string message(const io::result& r) { return r.message().c_str(); }

template <class M>
struct alignas(64) image_of {
    std::array<std::byte, io::image_bytes<M>> content{};
    explicit image_of(const M& m) { EXPECT_EQ(message(io::save_image(m, content)), "no error"); }
    io::bytes bytes() const { return content; }
};

static_assert(io::image_bytes<small_model> == 64 + sizeof(small_model));

TEST(image, is_used_in_place) {
    const image_of<small_model> image(numbered_model());
    const auto view = io::view_image<small_model>(image.bytes());
    ASSERT_TRUE(view) << message(view.status());
    EXPECT_EQ(static_cast<const void*>(&*view), image.content.data() + 64);
    EXPECT_TRUE(same_elements(*view, numbered_model()));
    EXPECT_EQ(view->layers[1].up(1, 2), numbered_model().layers[1].up(1, 2));
    EXPECT_EQ(&view.get(), &*view);
    EXPECT_TRUE(io::check_image_sum(image.bytes()));
    // Bytes may follow, as they do where an image is part of flash.
    std::vector<std::byte> longer(image.content.begin(), image.content.end());
    longer.resize(longer.size() + 128);
    const std::size_t first = (64 - reinterpret_cast<std::uintptr_t>(longer.data()) % 64) % 64;
    std::memmove(longer.data() + first, image.content.data(), image.content.size());
    EXPECT_TRUE(io::view_image<small_model>(io::bytes(longer).subspan(first)));
}

/// The same members with what used to be in memory between them.
template <class M>
void scramble_gaps(M& m) {
    M values = m;
    std::memset(static_cast<void*>(&m), 0xa5, sizeof m);
    nn::for_each_parameter(values, [&](const nn::parameter& p) {
        std::memcpy(reinterpret_cast<std::byte*>(&m) + detail::offset_in(values, p), p.data,
                    p.size() * p.element_bytes);
    });
}

TEST(image, gaps_are_zeros) {
    small_model m = numbered_model();
    scramble_gaps(m);
    const image_of<small_model> image(m), other(numbered_model());
    EXPECT_EQ(image.content, other.content);
    std::size_t listed = 0;
    nn::for_each_parameter(m, [&](const nn::parameter& p) { listed += p.size() * p.element_bytes; });
    EXPECT_LT(listed, sizeof(small_model));  // else there is no gap to test
}

TEST(image, every_refusal) {
    const image_of<small_model> good(numbered_model());
    const auto changed = [&](auto&& change) {
        image_of<small_model> image = good;
        const io::bytes bytes = change(image.content);
        return message(io::view_image<small_model>(bytes).status());
    };
    const auto with = [](std::size_t at, unsigned char bits) {
        return [=](auto& content) {
            content[at] ^= std::byte{bits};
            return io::bytes(content);
        };
    };
    EXPECT_EQ(changed(with(0, 0)), "no error");
    EXPECT_EQ(changed(with(0, 1)), "no model image");
    EXPECT_EQ(changed([](auto&) { return io::bytes(); }), "no model image");
    EXPECT_EQ(changed([](auto& c) { return io::bytes(c).first(40); }), "truncated: 64 bytes are needed, there are 40");
    EXPECT_EQ(changed([](auto& c) { return io::bytes(c).first(c.size() - 1); }),
              "truncated: " + std::to_string(good.content.size()) + " bytes are needed, there are " +
                  std::to_string(good.content.size() - 1));
    EXPECT_EQ(changed(with(8, 2)), "a model image of another version; make it again");
    EXPECT_EQ(changed(with(17, 0x80)).substr(0, 15), "the model needs");
    EXPECT_EQ(changed(with(24, 1)), "an image of another model: names, shapes, types or offsets differ; make it again");
    EXPECT_EQ(changed(with(31, 0x80)),
              "an image of another model: names, shapes, types or offsets differ; make it again");
    EXPECT_EQ(changed([&](auto& c) {
                  std::memmove(c.data() + 4, c.data(), c.size() - 4);
                  return io::bytes(c).subspan(4);
              }),
              "truncated: " + std::to_string(good.content.size()) + " bytes are needed, there are " +
                  std::to_string(good.content.size() - 4));
    const std::size_t flags = 64 + offsetof(small_model, flags);
    EXPECT_EQ(changed(with(flags, 2)), "flags: the file has an integer that the elements of the tensor cannot hold");
}

TEST(image, misaligned_bytes) {
    const image_of<small_model> good(numbered_model());
    struct alignas(64) {
        std::array<std::byte, sizeof(good.content) + 64> bytes{};
    } memory;
    for (std::size_t shift = 0; shift < 64; ++shift) {
        std::memcpy(memory.bytes.data() + shift, good.content.data(), good.content.size());
        const auto view = io::view_image<small_model>(io::bytes(memory.bytes).subspan(shift));
        EXPECT_EQ(static_cast<bool>(view), shift % alignof(small_model) == 0) << shift;
        if (!view) {
            EXPECT_EQ(message(view.status()), "the bytes must begin at a multiple of the model's alignment");
        }
    }
}

/// The same bytes as another model, with one thing different each time.
template <class T, bool Transposed, int Name>
struct one_matrix {
    T matrix;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        if constexpr (Transposed)
            visit(Name == 0 ? "a" : "b", nn::transposed(self.matrix));
        else
            visit(Name == 0 ? "a" : "b", self.matrix);
    }
};

TEST(image, hash_tells_layouts_apart) {
    using base = one_matrix<tensor<float, 4, 6>, false, 0>;
    const image_of<base> image(base{});
    EXPECT_TRUE(io::view_image<base>(image.bytes()));
    const auto refused = [&]<class Other>(const Other&) {
        static_assert(sizeof(Other) == sizeof(base));
        return io::view_image<Other>(image.bytes()).status().error == io::error::wrong_layout;
    };
    EXPECT_TRUE(refused(one_matrix<tensor<float, 4, 6>, false, 1>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<float, 4, 6>, true, 0>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<float, 6, 4>, false, 0>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<float, 6, 4>, true, 0>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<float, 24>, false, 0>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<std::int32_t, 4, 6>, false, 0>{}));
    EXPECT_TRUE(refused(one_matrix<tensor<double, 4, 3>, false, 0>{}));
}

TEST(image, files) {
    const std::string path = testing::TempDir() + "ashlar_image_test.image";
    const small_model m = numbered_model();
    EXPECT_EQ(message(io::save_image(m, path)), "no error");
    small_model again{};
    EXPECT_EQ(message(io::load_image(again, path)), "no error");
    EXPECT_TRUE(same_elements(m, again));
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
    const image_of<small_model> image(m);
    ASSERT_EQ(content.size(), image.content.size());
    EXPECT_EQ(std::memcmp(content.data(), image.content.data(), content.size()), 0);
    std::remove(path.c_str());
    EXPECT_EQ(io::load_image(again, path).error, io::error::cannot_open);
    // Every byte of the model is covered by the sum; the model stays as it was.
    for (std::size_t i = 64; i < image.content.size(); i += 7) {
        image_of<small_model> damaged = image;
        damaged.content[i] ^= std::byte{4};
        EXPECT_EQ(io::check_image_sum(damaged.bytes()).error, io::error::checksum);
        EXPECT_EQ(io::load_image(again, damaged.bytes()).error, io::error::checksum);
    }
    EXPECT_TRUE(same_elements(m, again));
    std::vector<std::byte> small(100);
    EXPECT_EQ(io::save_image(m, small).error, io::error::no_room);
    EXPECT_EQ(io::save_image(m, "/nowhere/at/all").error, io::error::cannot_open);
}

/// State that the list of members does not name would be zeros in an image.
struct forgetful {
    tensor<float, 16> listed;
    tensor<float, 16> forgotten;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("listed", self.listed);
    }
};
struct forgetful_of_little {
    tensor<float, 3> listed;
    float forgotten;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("listed", self.listed);
    }
};

TEST(image, members_that_are_not_listed) {
    std::vector<std::byte> memory(io::image_bytes<forgetful>);
    EXPECT_EQ(message(io::save_image(forgetful{}, memory)),
              "the model has members that its list of members does not name");
    EXPECT_EQ(io::save_layout<forgetful>(memory).error, io::error::unlisted_members);
    EXPECT_EQ(io::save_image(forgetful_of_little{}, memory).error, io::error::unlisted_members);
}

TEST(image, layout_as_text) {
    std::vector<char> text(4096);
    ASSERT_TRUE(io::save_layout<small_model>(text));
    const std::string layout = text.data();
    EXPECT_TRUE(layout.starts_with("ashlar-layout 1\nmodel " + std::to_string(sizeof(small_model)) + ' ' +
                                   std::to_string(alignof(small_model)) +
                                   (std::endian::native == std::endian::little ? " little" : " big") +
                                   "\narray 0 F32 5x2 0 5 2 0 0 embedding.weight\n"))
        << layout;
    EXPECT_NE(layout.find(" F32 6x2 2 2 2 1 0 layers.0.self_attn.in_proj_weight\n"), std::string::npos) << layout;
    EXPECT_NE(layout.find(" F32 6 4 2 1 0 0 layers.1.self_attn.in_proj_bias\n"), std::string::npos) << layout;
    EXPECT_NE(layout.find("array " + std::to_string(offsetof(small_model, flags)) + " BOOL 3 0 3 1 0 0 flags\n"),
              std::string::npos)
        << layout;
}

static_assert(!io::image_model<int> && io::image_model<small_model>);

}  // namespace
}  // namespace ashlar
