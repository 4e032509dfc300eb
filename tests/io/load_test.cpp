// SPDX-License-Identifier: BSL-1.0
// Loading models: PyTorch's names and layouts, name maps, and every refusal with the model left as it was.
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/tensor/tensor.hpp>

#include "file_builder.hpp"
#include "models.hpp"
#include "saved.hpp"

namespace ashlar {
namespace {

using test::array_entry;
using test::bytes_of;
using test::message;

std::string counting(float first, std::size_t count) {
    std::string bytes;
    for (std::size_t i = 0; i < count; ++i) bytes += bytes_of<float>({first + static_cast<float>(i)});
    return bytes;
}

/// The arrays of a small_model as PyTorch would save it, all elements counted up.
std::vector<array_entry> state_dict() {
    std::vector<array_entry> arrays{{"embedding.weight", "F32", "5,2", counting(100, 10)}};
    for (const std::string layer : {"layers.0.", "layers.1."}) {
        const float first = layer == "layers.0." ? 200 : 300;
        arrays.push_back({layer + "self_attn.in_proj_weight", "F32", "6,2", counting(first, 12)});
        arrays.push_back({layer + "self_attn.in_proj_bias", "F32", "6", counting(first + 20, 6)});
        arrays.push_back({layer + "linear1.weight", "F32", "3,2", counting(first + 30, 6)});
        arrays.push_back({layer + "linear1.bias", "F32", "3", counting(first + 40, 3)});
    }
    arrays.push_back({"scale", "F64", "1", bytes_of<double>({0.5})});
    arrays.push_back({"ids", "I64", "3", bytes_of<std::int64_t>({7, -8, 9})});
    arrays.push_back({"flags", "BOOL", "3", std::string("\1\0\1", 3)});
    return arrays;
}

void check_layer(const test::small_layer& layer, float first) {
    // Row o of the file's [out, in] is column o here.
    for (int out = 0; out < 2; ++out)
        for (int in = 0; in < 2; ++in) {
            const auto at = static_cast<float>(2 * out + in);
            EXPECT_EQ(layer.query(in, out), first + at);
            EXPECT_EQ(layer.key(in, out), first + 4 + at);
            EXPECT_EQ(layer.value(in, out), first + 8 + at);
        }
    EXPECT_EQ(layer.query_bias(1), first + 21);
    EXPECT_EQ(layer.key_bias(0), first + 22);
    EXPECT_EQ(layer.value_bias(1), first + 25);
    for (int out = 0; out < 3; ++out)
        for (int in = 0; in < 2; ++in) EXPECT_EQ(layer.up(in, out), first + 30 + static_cast<float>(2 * out + in));
    EXPECT_EQ(layer.up_bias(2), first + 42);
}

TEST(load, state_dict) {
    test::small_model m{};
    EXPECT_EQ(message(io::load(m, test::safetensors(state_dict()))), "no error");
    EXPECT_EQ(m.embedding(0, 0), 100);
    EXPECT_EQ(m.embedding(4, 1), 109);
    check_layer(m.layers[0], 200);
    check_layer(m.layers[1], 300);
    EXPECT_EQ(m.scale(0), 0.5);
    EXPECT_EQ(m.ids(1), -8);
    EXPECT_TRUE(m.flags(0) && !m.flags(1) && m.flags(2));
}

/// Loads what a change makes of a right state dict; on an error no byte of the model may have changed.
template <class Change>
std::string load_changed(Change&& change, const io::load_options& options = {}) {
    std::vector<array_entry> arrays = state_dict();
    change(arrays);
    test::small_model m = test::numbered_model();
    std::vector<char> before(sizeof m);
    std::memcpy(before.data(), &m, sizeof m);
    const io::result r = io::load(m, test::safetensors(arrays), {}, options);
    EXPECT_EQ(r.ok(), std::memcmp(before.data(), &m, sizeof m) != 0);
    return message(r);
}

TEST(load, refusals_leave_the_model_alone) {
    EXPECT_EQ(load_changed([](auto& a) { a.pop_back(); }), "flags: missing in the file");
    EXPECT_EQ(load_changed([](auto& a) { a.front().name = "embeddings.weight"; }),
              "embedding.weight: missing in the file; the file has embeddings.weight");
    EXPECT_EQ(load_changed([](auto& a) { a.push_back({"more", "F32", "1", "four"}); }),
              "more: in the file, but not in the model; load with .ignore_unexpected = true to leave such arrays out");
    EXPECT_EQ(load_changed([](auto& a) { a[1].shape = "2,6"; }),
              "layers.0.self_attn.in_proj_weight: the model needs [6, 2], the file has [2, 6]");
    EXPECT_EQ(load_changed([](auto& a) { a[9] = {"scale", "F64", "", bytes_of<double>({1})}; }),
              "scale: the model needs [1], the file has []");
    EXPECT_EQ(load_changed([](auto& a) { a[0] = {"embedding.weight", "I32", "5,2", counting(0, 10)}; }),
              "embedding.weight: the model needs F32, the file has I32");
    EXPECT_EQ(load_changed([](auto& a) { a[10].dtype = "U64"; }),
              "ids: the file has an integer that the elements of the tensor cannot hold");
    EXPECT_EQ(load_changed([](auto& a) { a[11].dtype = "U8"; }), "flags: the model needs BOOL, the file has U8");
    EXPECT_EQ(load_changed([](auto& a) { a[4].data += "x"; }).substr(0, 60),
              "layers.0.linear1.bias: its bytes do not fit its shape and el");
}

TEST(load, lenient_options) {
    EXPECT_EQ(load_changed([](auto& a) { a.push_back({"more", "F8_E4M3", "4", "four"}); }, {.ignore_unexpected = true}),
              "no error");
    EXPECT_EQ(load_changed([](auto& a) { a.pop_back(); }, {.ignore_missing = true}), "no error");
    test::small_model m = test::numbered_model();
    EXPECT_EQ(message(io::load(m, test::safetensors({{"scale", "F64", "1", bytes_of<double>({0.5})}}), {},
                               {.ignore_missing = true})),
              "no error");
    EXPECT_EQ(m.scale(0), 0.5);
    m.scale(0) = test::numbered_model().scale(0);
    EXPECT_TRUE(test::same_elements(m, test::numbered_model()));
    // What is there must still be right.
    EXPECT_EQ(load_changed(
                  [](auto& a) {
                      a.pop_back();
                      a[1].shape = "2,6";
                  },
                  {.ignore_unexpected = true, .ignore_missing = true}),
              "layers.0.self_attn.in_proj_weight: the model needs [6, 2], the file has [2, 6]");
}

TEST(load, options_without_names) {
    auto arrays = state_dict();
    arrays.push_back({"mask", "F32", "2", counting(0, 2)});
    const auto file = test::safetensors(arrays);
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    test::small_model m{}, n{};
    EXPECT_EQ(io::load(m, file, {}).error, io::error::unexpected) << "no names";
    EXPECT_EQ(io::load(m, file, io::load_options{}).error, io::error::unexpected);
    EXPECT_EQ(message(io::load(m, file, {.ignore_unexpected = true})), "no error");
    EXPECT_EQ(m.embedding(4, 1), 109);
    const io::load_options options{.ignore_unexpected = true};
    EXPECT_EQ(message(io::load(n, archive, options)), "no error");
    EXPECT_EQ(
        message(io::load(n, archive, {.prefix = "layers."})),
        "layers.embedding.weight: missing in the file, in the model embedding.weight; the file has embedding.weight: "
        "load with another .prefix, or none");
    EXPECT_EQ(n.embedding(4, 1), 109);
}

TEST(load, prefix) {
    const auto prefixed = [](auto& a) {
        for (array_entry& e : a) e.name = "bert." + e.name;
        a.push_back({"head.weight", "F32", "1", "four"});  // another part of the file
    };
    EXPECT_EQ(load_changed(prefixed, {.prefix = "bert."}), "no error");
    EXPECT_EQ(
        load_changed(prefixed),
        "embedding.weight: missing in the file; the file has bert.embedding.weight: load with .prefix = \"bert.\"");
    EXPECT_EQ(
        load_changed(
            [&](auto& a) {
                prefixed(a);
                a.push_back({"bert.more", "F32", "1", "four"});
            },
            {.prefix = "bert."}),
        "bert.more: in the file, but not in the model; load with .ignore_unexpected = true to leave such arrays out");
}

constexpr io::name_rule one_by_one[]{
    {"layers.*.self_attn.in_proj_weight[0]", "h.*.q.weight"},
    {"layers.*.self_attn.in_proj_weight[1]", "h.*.k.weight"},
    {"layers.*.self_attn.in_proj_weight[2]", "h.*.v.weight"},
    {"layers.*.self_attn.in_proj_bias[*]", "h.*.*.bias"},
    {"layers.*.linear1.*", "h.*.fc.*"},
    {"embedding.weight", "wte"},
};

TEST(load, pieces_one_by_one) {
    std::vector<array_entry> arrays;
    for (const array_entry& e : state_dict())
        if (!e.name.starts_with("layers.") && !e.name.starts_with("embedding")) arrays.push_back(e);
    arrays.push_back({"wte", "F32", "5,2", counting(100, 10)});
    for (const std::string h : {"h.0.", "h.1."}) {
        const float first = h == "h.0." ? 200 : 300;
        arrays.push_back({h + "q.weight", "F32", "2,2", counting(first, 4)});
        arrays.push_back({h + "k.weight", "F32", "2,2", counting(first + 4, 4)});
        arrays.push_back({h + "v.weight", "F32", "2,2", counting(first + 8, 4)});
        for (int i = 0; i < 3; ++i)
            arrays.push_back(
                {h + std::to_string(i) + ".bias", "F32", "2", counting(first + 20 + 2 * static_cast<float>(i), 2)});
        arrays.push_back({h + "fc.weight", "F32", "3,2", counting(first + 30, 6)});
        arrays.push_back({h + "fc.bias", "F32", "3", counting(first + 40, 3)});
    }
    test::small_model m{};
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), one_by_one)), "no error");
    check_layer(m.layers[0], 200);
    check_layer(m.layers[1], 300);
    arrays.pop_back();
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), one_by_one)),
              "h.1.fc.bias: missing in the file, in the model layers.1.linear1.bias");
    arrays.erase(arrays.begin() + 5);
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), one_by_one)),
              "h.0.k.weight: missing in the file, in the model layers.0.self_attn.in_proj_weight[1]");
}

TEST(load, transposed_files) {
    constexpr io::name_rule rules[]{{"layers.*.self_attn.in_proj_weight", "h.*.c_attn", true},
                                    {"layers.*.linear1.weight", "h.*.c_fc", true}};
    std::vector<array_entry> arrays = state_dict();
    const auto transpose = [](array_entry& e, std::size_t rows, std::size_t columns) {
        std::string data;
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t r = 0; r < rows; ++r) data += e.data.substr(4 * (r * columns + c), 4);
        e.data = data;
        e.shape = std::to_string(columns) + ',' + std::to_string(rows);
    };
    for (const std::size_t layer : {0u, 1u}) {
        array_entry &projections = arrays[1 + 4 * layer], &up = arrays[3 + 4 * layer];
        transpose(projections, 6, 2);
        transpose(up, 3, 2);
        projections.name = "h." + std::to_string(layer) + ".c_attn";
        up.name = "h." + std::to_string(layer) + ".c_fc";
    }
    test::small_model m{};
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), rules)), "no error");
    check_layer(m.layers[0], 200);
    check_layer(m.layers[1], 300);
    arrays[1].shape = "6,2";
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), rules)),
              "h.0.c_attn: the model needs [2, 6], the file has [6, 2]");
}

/// Arrays that files may stack while the model has them one by one.
struct separate {
    tensor<float, 2, 1> a;
    tensor<float, 2, 2> b;
    tensor<float, 3> tied, other;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("b", nn::transposed(self.b));
        visit("a", nn::transposed(self.a));
        visit("tied", self.tied);
        visit("other", self.other);
    }
};

TEST(load, files_that_stack) {
    constexpr io::name_rule rules[]{{"a", "ab[0]"}, {"b", "ab[1]"}, {"other", "tied"}};
    separate m{};
    EXPECT_EQ(
        message(io::load(
            m, test::safetensors({{"ab", "F32", "3,2", counting(1, 6)}, {"tied", "F32", "3", counting(7, 3)}}), rules)),
        "no error");
    EXPECT_TRUE(m.a(0, 0) == 1 && m.a(1, 0) == 2);
    EXPECT_TRUE(m.b(0, 0) == 3 && m.b(1, 0) == 4 && m.b(0, 1) == 5 && m.b(1, 1) == 6);
    EXPECT_EQ(m.tied(2), 9);
    EXPECT_EQ(m.other(2), 9);
    EXPECT_EQ(
        message(io::load(
            m, test::safetensors({{"ab", "F32", "2,2", counting(1, 4)}, {"tied", "F32", "3", counting(7, 3)}}), rules)),
        "ab: the model needs [3, 2], the file has [2, 2]");
}

TEST(load, next_rule_where_a_name_is_not_there) {
    constexpr io::name_rule rules[]{{"other", "head"}, {"other", "tied"}};
    separate m{};
    std::vector<array_entry> arrays{
        {"a", "F32", "1,2", counting(1, 2)}, {"b", "F32", "2,2", counting(3, 4)}, {"tied", "F32", "3", counting(7, 3)}};
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), rules)), "no error");
    EXPECT_EQ(m.other(0), 7);
    arrays.push_back({"head", "F32", "3", counting(20, 3)});
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), rules)), "no error");
    EXPECT_EQ(m.other(0), 20);
    constexpr io::name_rule neither[]{{"other", "head"}, {"other", "lm_head"}};
    arrays.pop_back();
    EXPECT_EQ(message(io::load(m, test::safetensors(arrays), neither)),
              "head: missing in the file, in the model other");
}

TEST(load, tensors_by_name) {
    const auto file = test::safetensors(state_dict());
    tensor<float, 5, 2> embedding{};
    EXPECT_EQ(message(io::load(embedding, file, "embedding.weight")), "no error");
    EXPECT_EQ(embedding(4, 1), 109);
    tensor<float, 2, 5> wrong{};
    EXPECT_EQ(message(io::load(wrong, file, "embedding.weight")),
              "embedding.weight: the model needs [2, 5], the file has [5, 2]");
    EXPECT_EQ(message(io::load(wrong, file, "nowhere")), "nowhere: missing in the file");
    io::archive archive;
    ASSERT_TRUE(archive.open(file));
    tensor<float, 3> up_bias{};
    EXPECT_EQ(message(io::load(up_bias, archive, "layers.0.linear1.bias")), "no error");
    EXPECT_EQ(up_bias(2), 242);
    // Views of other memory.
    std::vector<float> memory(10);
    tensor_view<float, 5, 2> view{memory};
    EXPECT_EQ(message(io::load(view, file, "embedding.weight")), "no error");
    EXPECT_EQ(memory[9], 109);
    EXPECT_EQ(message(io::load(tensor_view<float, 5, 2>{memory}, file, "embedding.weight")), "no error");
    // All or none.
    tensor<float, 3> bias{}, other{};
    EXPECT_EQ(message(io::load(
                  std::tuple(io::named("layers.0.linear1.bias", bias), io::named("layers.0.linear1.weight", other)),
                  file, {.ignore_unexpected = true})),
              "layers.0.linear1.weight: the model needs [3], the file has [3, 2]");
    EXPECT_EQ(bias(0), 0);
    EXPECT_EQ(message(io::load(
                  std::tuple(io::named("layers.0.linear1.bias", bias), io::named("layers.1.linear1.bias", other)), file,
                  {.ignore_unexpected = true})),
              "no error");
    EXPECT_EQ(bias(0), 240);
    EXPECT_EQ(other(0), 340);
    EXPECT_EQ(io::load(std::tuple(io::named("scale", bias)), file).error, io::error::wrong_shape);
}

static_assert(io::loadable_array<tensor<float, 3>> && io::loadable_array<tensor_view<float, 3>> &&
              !io::loadable_array<strided_view<float, std::array<std::ptrdiff_t, 1>{2}, std::size_t{3}>>);

TEST(load, names_that_become_too_long) {
    const std::string long_prefix(600, 'p');
    separate m{};
    EXPECT_EQ(io::load(m, test::safetensors({}), {}, {.prefix = long_prefix}).error, io::error::name_too_long);
}

}  // namespace
}  // namespace ashlar
