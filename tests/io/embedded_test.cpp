// SPDX-License-Identifier: BSL-1.0
// Weights in the program: the model that loading the same file gives, at start and as a constant; and the same errors.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io/embedded.hpp>
#include <ashlar/io/model/load.hpp>
#include <ashlar/io/model/names_of_models.hpp>
#include <ashlar/nn/layers/linear.hpp>
#include <ashlar/tensor/tensor.hpp>

#include "constant_file.hpp"
#include "models.hpp"

namespace ashlar {
namespace {

/// What a model holds, padding of packed matrices included, the gaps between members not.
template <class Model>
std::string memory_of(const Model& model) {
    std::string bytes;
    nn::for_each_parameter(
        model, [&](const nn::const_parameter& p) { bytes.append(static_cast<const char*>(p.data), p.memory_bytes()); });
    return bytes;
}

/// Expects a model of embedded weights to be the one that `io::load` gives of their bytes.
template <class Model, class Weights>
void expect_loaded(Weights weights) {
    Model expected{}, loaded{};
    const io::result r = io::load(expected, weights.bytes(), weights.names(), weights.options());
    ASSERT_TRUE(r) << r.message().c_str();
    io::load(loaded, weights);
    EXPECT_EQ(memory_of(loaded), memory_of(expected));
    static constexpr Model constant = io::load<Model>(Weights{});
    EXPECT_EQ(memory_of(constant), memory_of(expected));
    static_assert(io::fits<Model>(Weights{}));
}

constexpr auto add_layer(test::constant_file<>& file, std::string_view name, float first) {
    const auto in = [&](std::string_view member) {
        std::array<char, 40> text{};
        std::size_t length = 0;
        for (const char c : name) text[length++] = c;
        for (const char c : member) text[length++] = c;
        return std::pair(text, length);
    };
    const auto add = [&](std::string_view member, std::initializer_list<std::size_t> shape, float from) {
        const auto [text, length] = in(member);
        file.add({text.data(), length}, "F32", shape, from, 0.25f);
    };
    add("self_attn.in_proj_weight", {6, 2}, first);
    add("self_attn.in_proj_bias", {6}, first + 20);
    add("linear1.weight", {3, 2}, first + 30);
    add("linear1.bias", {3}, first + 40);
}

constexpr test::constant_file<> small_builder() {
    test::constant_file<> file;
    add_layer(file, "layers.1.", 300);
    file.add("scale", "F64", {1}, 0.5, 0.0);
    add_layer(file, "layers.0.", 200);
    file.add("ids", "I32", {3}, -8, 7).add("embedding.weight", "F32", {5, 2}, 1.f, 0.125f);
    return file.add("flags", "BOOL", {3}, true, false);
}
constexpr auto small_file = small_builder().bytes<small_builder().size()>();

TEST(embedded, model_is_that_of_load) { expect_loaded<test::small_model>(io::embedded<small_file>); }

TEST(embedded, model_is_a_constant) {
    static constexpr auto model = io::load<test::small_model>(io::embedded<small_file>);
    static_assert(model.embedding(4, 1) == 1 + 9 * 0.125f);
    static_assert(model.layers[0].key(1, 0) == 200 + 5 * 0.25f);  // row 2 of the stack, column 1
    static_assert(model.layers[1].up(1, 2) == 330 + 5 * 0.25f);
    static_assert(model.ids(1) == -1 && model.scale(0) == 0.5);
    static_assert(model.flags(2));
    EXPECT_EQ(model.embedding(4, 1), 1 + 9 * 0.125f);
}

/// A layer with weights of a type, packed.
template <class Weight>
using packed_layer = nn::linear<{.in = 40, .out = 19}, float, Weight>;

template <class Number>
constexpr auto linear_builder(std::string_view type, Number first, Number step) {
    return test::constant_file<>().add("weight", type, {19, 40}, first, step).add("bias", "F32", {19}, -2.f, 0.5f);
}
constexpr auto float_file = linear_builder("F32", -3.f, 0.01f).bytes<linear_builder("F32", -3.f, 0.01f).size()>();
constexpr auto half_file = linear_builder("F16", std::uint16_t{0x0123}, std::uint16_t{17})
                               .bytes<linear_builder("F16", std::uint16_t{0x0123}, std::uint16_t{17}).size()>();
constexpr auto brain_file = linear_builder("BF16", std::uint16_t{0x3f80}, std::uint16_t{1})
                                .bytes<linear_builder("BF16", std::uint16_t{0x3f80}, std::uint16_t{1}).size()>();

TEST(embedded, floats_of_the_file_convert) {
    expect_loaded<packed_layer<float>>(io::embedded<float_file>);
    expect_loaded<packed_layer<float>>(io::embedded<half_file>);
    expect_loaded<packed_layer<float>>(io::embedded<brain_file>);
    expect_loaded<packed_layer<bf16>>(io::embedded<float_file>);
    expect_loaded<packed_layer<bf16>>(io::embedded<brain_file>);
    expect_loaded<packed_layer<f16>>(io::embedded<float_file>);
}

constexpr test::constant_file<> byte_builder(std::int8_t first, std::int8_t step) {
    test::constant_file<> file;
    file.add("weight", "I8", {19, 40}, first, step).add("weight_scale", "F32", {19}, 0.5f, 0.25f);
    return file.add("bias", "F32", {19}, -2.f, 0.5f);
}
constexpr auto byte_file = byte_builder(5, 0).bytes<byte_builder(5, 0).size()>();
constexpr auto least_file = byte_builder(-128, 0).bytes<byte_builder(-128, 0).size()>();

TEST(embedded, weights_of_few_bits) {
    expect_loaded<packed_layer<std::int8_t>>(io::embedded<byte_file>);
    expect_loaded<packed_layer<std::int8_t>>(io::embedded<float_file>);  // rounded
    expect_loaded<packed_layer<smoothed<std::int8_t>>>(io::embedded<float_file>);
    expect_loaded<packed_layer<int4>>(io::embedded<float_file>);
}

TEST(embedded, least_integer_of_8_bits_saturates) {
    packed_layer<std::int8_t> layer{};
    EXPECT_EQ(io::load(layer, least_file).error, io::error::value_out_of_range);
    io::load(layer, io::embedded<least_file>);
    EXPECT_EQ(layer.weight.elements[0], -127);
    static constexpr auto constant = io::load<packed_layer<std::int8_t>>(io::embedded<least_file>);
    EXPECT_EQ(memory_of(constant), memory_of(layer));
}

struct table_model {
    tensor<float, 2, 3> table{{7, 7, 7}, {7, 7, 7}};
    tensor<float, 3> bias{7, 7, 7};

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("table", self.table);
        visit("bias", self.bias);
    }
};

constexpr test::constant_file<> named_builder() {
    test::constant_file<> file;
    return file.add("bert.embeddings.weight", "F32", {3, 2}, 1.f, 1.f)
        .add("bert.more", "U8", {2}, std::uint8_t{1}, std::uint8_t{1})
        .add("other.bias", "F32", {9}, 1.f, 1.f);
}
alignas(64) constexpr auto named_file = named_builder().bytes<named_builder().size()>();
constexpr io::name_rule table_names[]{{"table", "embeddings.weight", true}};
constexpr io::load_options lenient{.prefix = "bert.", .ignore_unexpected = true, .ignore_missing = true};

TEST(embedded, name_map_and_options) {
    constexpr auto weights = io::embedded<named_file, table_names, lenient>;
    expect_loaded<table_model>(weights);
    static constexpr auto model = io::load<table_model>(weights);
    static_assert(model.table(1, 2) == 6 && model.table(0, 1) == 3);  // [3, 2] in the file
    static_assert(model.bias(0) == 7);                                // the file does not have it
    table_model loaded;
    io::load(loaded, weights);
    EXPECT_EQ(loaded.table(0, 2), 5);
    EXPECT_EQ(loaded.bias(2), 7);
}

TEST(embedded, view_of_an_array_in_place) {
    const auto table = io::view_array<"bert.embeddings.weight", float, 3, 2>(io::embedded<named_file>);
    EXPECT_EQ(table(2, 1), 6);
    const auto* const at = reinterpret_cast<const unsigned char*>(table.elements);
    EXPECT_GE(at, named_file.data() + 8);
    EXPECT_LE(at + sizeof(float) * table.size(), named_file.data() + named_file.size());
}

/// The message of the check that the compiler does, here at run time.
template <class Model>
std::string checked(std::span<const unsigned char> file, const io::load_options& options = {}) {
    return detail::plan_embedded<current_config>(Model{}, file, {}, options).status.message().c_str();
}
template <class Model>
std::string loaded(std::span<const unsigned char> file, const io::load_options& options = {}) {
    Model model{};
    return io::load(model, file, options).message().c_str();
}

TEST(embedded, cut_and_changed_files_have_the_errors_of_load) {
    const std::span<const unsigned char> whole(small_file);
    for (std::size_t length = 0; length <= whole.size(); ++length)
        ASSERT_EQ(checked<test::small_model>(whole.first(length)), loaded<test::small_model>(whole.first(length)));
    std::vector<unsigned char> bytes(whole.begin(), whole.end());
    for (std::size_t i = 0; i < bytes.size() - 200; ++i)
        for (const char changed : std::string("0\"[}\\\0", 6)) {
            const unsigned char before = std::exchange(bytes[i], static_cast<unsigned char>(changed));
            const std::string there = checked<test::small_model>(bytes), expected = loaded<test::small_model>(bytes);
            bytes[i] = before;
            ASSERT_EQ(there, expected) << i;
        }
}

TEST(embedded, wrong_models_have_the_errors_of_load) {
    EXPECT_EQ(checked<packed_layer<float>>(small_file), loaded<packed_layer<float>>(small_file));
    EXPECT_EQ(checked<test::small_model>(float_file), loaded<test::small_model>(float_file));
    EXPECT_EQ(checked<test::small_model>(small_file, {.prefix = "bert."}),
              loaded<test::small_model>(small_file, {.prefix = "bert."}));
    EXPECT_EQ(checked<table_model>(named_file, {.prefix = "other.", .ignore_missing = true}),
              "other.bias: the model needs [3], the file has [9]");
}

struct wide_model {
    tensor<std::int64_t, 3> ids;
    tensor<std::uint8_t, 2> bytes;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("ids", self.ids);
        visit("bytes", self.bytes);
    }
};
constexpr test::constant_file<> integers_builder(std::string_view bytes_type) {
    test::constant_file<> file;
    file.add("ids", "I32", {3}, -8, 7);
    if (bytes_type == "U8") return file.add("bytes", bytes_type, {2}, std::uint8_t{1}, std::uint8_t{254});
    return file.add("bytes", bytes_type, {2}, std::int8_t{1}, std::int8_t{1});
}
constexpr auto integers_file = integers_builder("U8").bytes<integers_builder("U8").size()>();
constexpr auto signed_file = integers_builder("I8").bytes<integers_builder("I8").size()>();

TEST(embedded, integers_convert_if_all_values_fit) {
    expect_loaded<wide_model>(io::embedded<integers_file>);
    static constexpr auto model = io::load<wide_model>(io::embedded<integers_file>);
    static_assert(model.ids(0) == -8 && model.bytes(1) == 255);
    // The values fit, but the compiler does not read them.
    EXPECT_EQ(loaded<wide_model>(signed_file), "no error");
    EXPECT_EQ(checked<wide_model>(signed_file), "bytes: the model needs U8, the file has I8");
}

TEST(embedded, npy_is_refused) {
    const std::string npy("\x93NUMPY\1\0 and more", 17);
    EXPECT_EQ(detail::plan_embedded<current_config>(table_model{}, std::span<const char>(npy), {}, {}).status.error,
              io::error::unsupported);
}

/// 40 layers with the names of an encoder.
struct deep_layer {
    tensor<float, 1, 1> weight;
    tensor<float, 2> query_bias, key_bias;
    tensor<float, 1> bias;
    tensor<float, 1, 2> up;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("self_attn.out_proj.weight", self.weight);
        visit("self_attn.in_proj_bias", nn::stacked(self.query_bias, self.key_bias));
        visit("self_attn.out_proj.bias", self.bias);
        visit("linear1.weight", nn::transposed(self.up));
    }
};
struct deep_model {
    std::array<deep_layer, 40> layers;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("encoder.layers", self.layers);
    }
};
/// 200 arrays by the names of Hugging Face's BERT.
constexpr auto deep_builder() {
    test::constant_file<32768, 4096> file;
    for (std::size_t i = 0; i < 40; ++i) {
        detail::file_name name;
        name.put("encoder.layer.");
        if (i >= 10) name.put(std::string_view("0123456789").substr(i / 10, 1));
        name.put(std::string_view("0123456789").substr(i % 10, 1));
        const std::size_t length = name.text.length;
        const auto add = [&](std::string_view member, std::initializer_list<std::size_t> shape, float first) {
            name.text.length = length;
            name.put(member);
            file.add(name.view(), "F32", shape, static_cast<float>(i) + first, 1.f);
        };
        add(".attention.self.query.bias", {2}, 0);
        add(".attention.self.key.bias", {2}, 100);
        add(".attention.output.dense.weight", {1, 1}, 200);
        add(".attention.output.dense.bias", {1}, 300);
        add(".intermediate.dense.weight", {2, 1}, 400);
    }
    return file;
}
constexpr auto deep_parts = deep_builder();
constexpr auto deep_file = deep_parts.bytes<deep_parts.size()>();

TEST(embedded, limits_of_compilers_allow_200_arrays_and_a_name_map) {
    constexpr auto weights = io::embedded<deep_file, io::bert_names>;
    static_assert(io::fits<deep_model>(weights));
    deep_model model;
    io::load(model, weights);
    EXPECT_EQ(model.layers[39].key_bias(1), 39 + 101);
    EXPECT_EQ(model.layers[7].up(0, 1), 7 + 401);
}

}  // namespace
}  // namespace ashlar
