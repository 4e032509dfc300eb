// SPDX-License-Identifier: BSL-1.0
// Saving models and tensors: what is loaded again has the same bits, by any name map, in files and in memory.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/tensor/tensor.hpp>

#include "file_builder.hpp"
#include "models.hpp"
#include "saved.hpp"

namespace ashlar {
namespace {

using test::message;
using test::numbered_model;
using test::same_elements;
using test::saved;
using test::small_model;

TEST(save, round_trip) {
    const small_model m = numbered_model();
    const std::vector<char> file = saved(m);
    small_model again{};
    EXPECT_EQ(message(io::load(again, file)), "no error");
    EXPECT_TRUE(same_elements(m, again));
    EXPECT_EQ(saved(again), file);

    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    EXPECT_EQ(archive.size(), 12u);
    const io::stored_array& projection = *archive.find("layers.1.self_attn.in_proj_weight");
    EXPECT_EQ(projection.shape, (io::dimensions{2, {6, 2}}));
    // [out, in]: the second element is out 0, in 1
    EXPECT_EQ(test::number_of<float>(projection.data.data() + 4), m.layers[1].query(1, 0));
    for (const io::stored_array& a : archive) EXPECT_EQ(a.offset % io::size_of(a.dtype), 0u) << a.name;
}

TEST(save, to_a_file) {
    const std::string path = testing::TempDir() + "ashlar_save_test.safetensors";
    const small_model m = numbered_model();
    EXPECT_EQ(message(io::save(m, path)), "no error");
    small_model again{};
    EXPECT_EQ(message(io::load(again, path)), "no error");
    EXPECT_TRUE(same_elements(m, again));
    std::remove(path.c_str());
    EXPECT_EQ(io::save(m, "/nowhere/at/all").error, io::error::cannot_open);
    // A device that is full: what could not be written is an error, not a short file.
    if (std::filesystem::is_character_file("/dev/full")) {
        EXPECT_EQ(io::save(m, "/dev/full").error, io::error::cannot_write);
        EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
    }
}

TEST(save, into_memory_too_small) {
    const small_model m = numbered_model();
    const std::vector<char> file = saved(m);
    std::vector<char> memory(file.size() - 1, 'x');
    const io::result r = io::save(m, memory);
    EXPECT_EQ(message(r), "the memory to write to is too small: " + std::to_string(file.size()) +
                              " bytes are needed, there are " + std::to_string(memory.size()));
    EXPECT_EQ(memory, std::vector<char>(memory.size(), 'x'));
    std::vector<char> larger(file.size() + 3, 'x');
    EXPECT_TRUE(io::save(m, larger));
    EXPECT_EQ(larger.back(), 'x');
}

TEST(save, name_maps) {
    constexpr io::name_rule rules[]{{"layers.*.self_attn.in_proj_weight[*]", "h.*.*.weight"},
                                    {"layers.*.self_attn.in_proj_bias[*]", "biases.*[*]"},
                                    {"layers.*.linear1.weight", "h.*.\"fc\"", true},
                                    {"layers.*.linear1.weight", "not this one"}};
    const small_model m = numbered_model();
    const std::vector<char> file = saved(m, rules, {.prefix = "p."});
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    EXPECT_NE(archive.find("p.embedding.weight"), nullptr);
    EXPECT_EQ(archive.find("p.h.1.2.weight")->shape, (io::dimensions{2, {2, 2}}));
    EXPECT_EQ(archive.find("p.biases.0")->shape, (io::dimensions{1, {6}}));
    EXPECT_EQ(archive.find("p.h.0.\"fc\"")->shape, (io::dimensions{2, {2, 3}}));
    small_model again{};
    EXPECT_EQ(message(io::load(again, file, rules, {.prefix = "p."})), "no error");
    EXPECT_TRUE(same_elements(m, again));
}

/// Stacked on the model's side, transposed in the file: GPT-2's attention.
TEST(save, transposed_stacks) {
    constexpr io::name_rule rules[]{{"layers.*.self_attn.in_proj_weight", "h.*.c_attn", true}};
    const small_model m = numbered_model();
    const std::vector<char> file = saved(m, rules);
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    const io::stored_array& a = *archive.find("h.0.c_attn");
    EXPECT_EQ(a.shape, (io::dimensions{2, {2, 6}}));
    const auto value = [&](std::size_t i) { return test::number_of<float>(a.data.data() + 4 * i); };
    for (std::size_t in = 0; in < 2; ++in)
        for (std::size_t out = 0; out < 2; ++out) {
            EXPECT_EQ(value(6 * in + out), m.layers[0].query(in, out));
            EXPECT_EQ(value(6 * in + 2 + out), m.layers[0].key(in, out));
            EXPECT_EQ(value(6 * in + 4 + out), m.layers[0].value(in, out));
        }
    small_model again{};
    EXPECT_EQ(message(io::load(again, file, rules)), "no error");
    EXPECT_TRUE(same_elements(m, again));
}

TEST(save, bits_of_every_kind_of_float) {
    tensor<float, 6> t{};
    const std::uint32_t bits[]{0x7f800001, 0xffc12345, 0x80000000, 0x00000001, 0x7f800000, 0x3dcccccd};
    std::memcpy(t.data(), bits, sizeof bits);
    std::vector<char> file(256);
    ASSERT_TRUE(io::save(t, file, "x"));
    file.resize(8 + static_cast<std::size_t>(file[0]) + sizeof bits);
    tensor<float, 6> again{};
    EXPECT_EQ(message(io::load(again, file, "x")), "no error");
    EXPECT_EQ(std::memcmp(again.data(), bits, sizeof bits), 0);
}

template <class T>
struct matrix_holder {
    T matrix;
    tensor<float, 5, 7> dense;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("matrix", nn::transposed(self.matrix));
        visit("dense", nn::transposed(self.dense));
    }
};

// A packed matrix has an order of its own in memory, and is a plain one in files.
TEST(save, packed_matrices) {
    matrix_holder<basic_packed<float, 4, std::size_t{5}, std::size_t{7}>> m{};
    for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 7; ++column) {
            m.dense(row, column) = static_cast<float>(10 * row + column);
            m.matrix.elements[detail::panel_offset(4, 5, 7, row, column)] = m.dense(row, column);
        }
    const std::vector<char> file = saved(m);
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    const io::bytes packed = archive.find("matrix")->data, dense = archive.find("dense")->data;
    EXPECT_EQ(std::vector<std::byte>(packed.begin(), packed.end()), std::vector<std::byte>(dense.begin(), dense.end()));
    matrix_holder<basic_packed<float, 4, std::size_t{5}, std::size_t{7}>> again{};
    EXPECT_EQ(message(io::load(again, file)), "no error");
    for (std::size_t row = 0; row < 5; ++row)
        for (std::size_t column = 0; column < 7; ++column) EXPECT_EQ(again.matrix(row, column), m.dense(row, column));
}

TEST(save, tied_members_must_agree) {
    constexpr io::name_rule rules[]{{"b", "a"}};
    tensor<float, 3> a{1, 2, 3}, b{1, 2, 3};
    const ashlar::detail::named_arrays<tensor<float, 3>, tensor<float, 3>> both{{io::named("a", a), io::named("b", b)}};
    const std::vector<char> file = saved(both, rules);
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    EXPECT_EQ(archive.size(), 1u);
    b(1) = 7;
    EXPECT_EQ(message(io::save(both, std::span<char>(), rules)),
              "a: two members of the model have this name in the file, and differ");
    tensor<double, 3> other{1, 2, 3};
    EXPECT_EQ(io::save(std::tuple(io::named("a", a), io::named("a", other)), std::span<char>()).error,
              io::error::conflict);
    tensor<float, 2> shorter{1, 2};
    EXPECT_EQ(io::save(std::tuple(io::named("a", a), io::named("a", shorter)), std::span<char>()).error,
              io::error::conflict);
}

TEST(save, nothing_and_scalars) {
    EXPECT_EQ(io::save(std::tuple<>(), std::span<char>()).position, 16u);
    tensor<double> scalar{};
    scalar() = 0.1;
    tensor<std::uint8_t, 3> odd{1, 2, 3};
    const std::tuple arrays(io::named("odd", odd), io::named("", scalar), io::named("a\n\x01\"\\", odd));
    std::vector<char> file(static_cast<std::size_t>(io::save(arrays, std::span<char>()).position));
    EXPECT_EQ(message(io::save(arrays, file)), "no error");
    tensor<double> again{};
    EXPECT_EQ(message(io::load(again, file, "")), "no error");
    EXPECT_EQ(again(), 0.1);
    tensor<std::uint8_t, 3> odd_again{};
    EXPECT_EQ(message(io::load(odd_again, file, "a\n\x01\"\\")), "no error");
    EXPECT_EQ(odd_again(2), 3);
}

}  // namespace
}  // namespace ashlar
