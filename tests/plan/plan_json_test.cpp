// SPDX-License-Identifier: BSL-1.0
// plan_json<E>: its exact text for a small plan, its totals, and the maps of masks. tests/tools/plan_json_test.py
// parses it.
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;

template <class Expression, class Config = support::machines::avx512>
constexpr bool says(std::string_view part) {
    const auto& text = plan_json<Expression, 1, detail::all_rows, Config>;
    return std::string_view(text.data(), text.size()).find(part) != std::string_view::npos;
}

template <std::size_t Rows, std::size_t Columns>
using matrix = tensor<float, Rows, Columns>;

inline constexpr axis<"ro\"w\n", 6> row_axis;
using summed = decltype(sum<1>(tensor<float, row_axis, 5>{} * 2.0f));

TEST(plan_json, exact_text) {
    constexpr std::string_view expected =
        R"({"version":1,"flops":60,"workspace_bytes":0,"moved_bytes":144,)"
        R"("machine":{"register_bytes":16,"registers":16,"l1_bytes":32768,"l2_bytes":524288},)"
        R"("plans":[{"times":1,"flops":60,"scratch_bytes":0,"operand_bytes":120,"result_bytes":24,"lanes":4,)"
        R"("result":{"element":"float","shape":[6],"axes":["ro\"w\u000a"]},)"
        R"("operands":[{"name":"a","element":"float","shape":[6,5],"axes":["ro\"w\u000a",""],)"
        R"("bytes":120,"copied":false,"packed":false}],)"
        R"("steps":[{"flops":60,"scratch_bytes":0,"barrier_bytes":0,"barriers":0,"stores":0,"writes_result":true,)"
        R"-("body":[{"stage":"map","time":0,"formula":"result = sum(a * s)","tile":"[ro\"w\u000a 6]",)-"
        R"("lanes":"columns","fused":false,"flops":60}]}],)"
        R"("buffers":[]}]})";
    constexpr auto& text = plan_json<summed, 1, detail::all_rows, support::machines::sse2>;
    EXPECT_EQ(std::string_view(text.data(), text.size()), expected);
    EXPECT_EQ(text.c_str()[text.size()], '\0');
    static_assert(text.size() == text.capacity(), "no more memory than characters");
}

TEST(plan_json, totals_are_the_constants) {
    using product = decltype(matmul(matrix<30, 20>{}, matrix<20, 10>{}));
    static_assert(flops<product> == 12000 && says<product>(R"("flops":12000,"workspace_bytes":)"));
    static_assert(says<product>(R"("moved_bytes":4400)"), "(600 + 200 + 300) floats");
    using broadcast = decltype(matrix<30, 20>{} + broadcast_to<30, 20>(tensor<float, 20>{}));
    static_assert(says<broadcast>(R"("moved_bytes":4880)"), "what a broadcast repeats is read once");
    static_assert(says<matrix<3, 4>>(R"("flops":0)") && says<matrix<3, 4>>(R"("plans":[])"), "a tensor has no plan");
}

TEST(plan_json, maps_of_masks) {
    const auto attend = [](const auto& mask) {
        return attention(matrix<64, 32>{}, matrix<64, 32>{}, matrix<64, 32>{}, mask);
    };
    static_assert(says<decltype(attend(causal))>(R"("queries":32,"keys":16,"tiles":8,"skipped":2,"empty":0,)"));
    static_assert(says<decltype(attend(causal))>(R"("map":["mmss","ffmm"])"));
    static_assert(says<decltype(attend(!causal))>(R"("map":["mmff","ssmm"])"));
    static_assert(says<decltype(attend(causal && keys_below(50)))>(R"("map":["rrss","rrrr"])"), "decided at run time");
    using long_rows =
        decltype(attention(matrix<64, 32>{}, matrix<160, 32>{}, matrix<160, 32>{}, causal || !sliding_window<63, 63>));
    static_assert(says<long_rows>(R"("map":["mmeemmffff","ffmmeemmff"])"), "empty tiles between others");
    static_assert(!says<decltype(attention(matrix<64, 32>{}, matrix<64, 32>{}, matrix<64, 32>{}))>("mask"));
}

}  // namespace
