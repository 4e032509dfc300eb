// SPDX-License-Identifier: BSL-1.0
// The list of members of a module: paths, the layouts of files, and the places of elements in memory.
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/module/parameters.hpp>

namespace {

using namespace ashlar;

struct product {
    packed<float, 6, 40> weight;
    tensor<float, 40> bias;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", nn::transposed(self.weight));
        visit("bias", self.bias);
    }
};

struct block {
    packed<float, 5, 4> query, key;
    tensor<float, 3, 5> plain;
    tensor<double, 2, 3, 4> deep;
    tensor<std::int32_t> scalar;
    product out;
    std::array<product, 2> layers;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("in_proj_weight", nn::stacked(nn::transposed(self.query), nn::transposed(self.key), self.plain));
        visit("deep", self.deep);
        visit("scalar", self.scalar);
        visit("", self.out);
        visit("layers", self.layers);
    }
};

static_assert(nn::module<product> && nn::module<const block&> && !nn::module<tensor<float, 4>> && !nn::module<int>);
static_assert(nn::parameter_array<tensor<float, 4>> && nn::parameter_array<packed<float, 4, 4>>);
static_assert(std::is_trivially_copyable_v<block> && std::is_aggregate_v<block>);

TEST(module, paths) {
    static const block b{};
    std::vector<std::string> names;
    nn::for_each_parameter(b, [&](const nn::const_parameter& p) { names.emplace_back(p.name); });
    EXPECT_EQ(names, (std::vector<std::string>{"in_proj_weight", "in_proj_weight", "in_proj_weight", "deep", "scalar",
                                               "weight", "bias", "layers.0.weight", "layers.0.bias", "layers.1.weight",
                                               "layers.1.bias"}));
}

TEST(module, shapes_are_those_of_files) {
    static block b{};
    std::vector<nn::parameter> all;
    nn::for_each_parameter(b, [&](const nn::parameter& p) { all.push_back(p); });
    ASSERT_EQ(all.size(), 11u);
    using sizes = std::vector<std::size_t>;
    for (std::size_t piece = 0; piece < 3; ++piece) {
        const nn::parameter& p = all[piece];
        EXPECT_EQ((sizes{p.rank, p.extents[0], p.extents[1], p.columns, p.file_size()}), (sizes{2, 11, 5, 5, 55}));
        EXPECT_EQ((sizes{p.first_row, p.rows}), (sizes{piece * 4, piece == 2 ? 3u : 4u}));
        EXPECT_EQ(p.is_first_piece(), piece == 0);
        EXPECT_EQ(p.is_last_piece(), piece == 2);
    }
    EXPECT_EQ(all[1].data, b.key.elements);
    EXPECT_EQ(all[3].kind, nn::element_kind::f64);
    EXPECT_EQ((sizes{all[3].rows, all[3].columns, all[3].offset(1, 7)}), (sizes{2, 12, 19}));
    EXPECT_EQ(all[4].kind, nn::element_kind::i32);
    EXPECT_EQ((sizes{all[4].rank, all[4].size()}), (sizes{0, 1}));
    EXPECT_TRUE(all[4].is_first_piece() && all[4].is_last_piece());
    EXPECT_EQ((sizes{all[5].extents[0], all[5].extents[1]}), (sizes{40, 6}));
    EXPECT_TRUE(all[5].is_transposed);
}

TEST(module, elements_arrive_where_the_matrix_reads_them) {
    static block b{};
    nn::for_each_parameter(b, [](const nn::parameter& p) {
        if (p.kind != nn::element_kind::f32) return;
        std::vector<bool> seen(p.size());
        for (std::size_t r = 0; r < p.rows; ++r)
            for (std::size_t c = 0; c < p.columns; ++c) {
                ASSERT_LT(p.offset(r, c), p.size());
                EXPECT_FALSE(seen[p.offset(r, c)]);
                seen[p.offset(r, c)] = true;
                static_cast<float*>(p.data)[p.offset(r, c)] = static_cast<float>((p.first_row + r) * 100 + c);
            }
    });
    for (std::size_t in = 0; in < 5; ++in)
        for (std::size_t out = 0; out < 4; ++out) {
            EXPECT_EQ(b.query(in, out), static_cast<float>(out * 100 + in));
            EXPECT_EQ(b.key(in, out), static_cast<float>((4 + out) * 100 + in));
        }
    for (std::size_t in = 0; in < 6; ++in)
        for (std::size_t out = 0; out < 40; ++out)
            EXPECT_EQ(b.layers[1].weight(in, out), static_cast<float>(out * 100 + in));
    EXPECT_EQ(b.plain(2, 3), 1003.0f);
    EXPECT_EQ(b.out.bias(7), 700.0f);
}

}  // namespace
