// SPDX-License-Identifier: BSL-1.0
// Plans of sequences: of each kind of step one, how often it runs, and totals.
#include <string>

#include <gtest/gtest.h>
#include <tests/support/steps.hpp>

namespace {

using namespace ashlar;
using namespace support;

std::array<step_matrix, 6> weights{};
step_result x{};

using product = decltype(product_step<6>{}(x, std::size_t{}, nullptr));
using norm = decltype(norm_step{}(x, std::size_t{}, nullptr));
using sequence = decltype(detail::in_sequence(x, product_step<6>{}, norm_step{}));
using computed = decltype(detail::in_sequence(x + x, product_step<6>{}));
using logged = decltype(detail::in_sequence(x, logging_step<3>{}));

constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }
constexpr std::size_t result_bytes = (sizeof x + 63) / 64 * 64;

// Each kind of step has one plan; all times of it count.
static_assert(sequence_expression<sequence> && !node_expression<sequence> && !array_expression<sequence>);
static_assert(plan<sequence>.part_count == 2);
static_assert(plan<sequence>.parts[0].times == 6 && plan<sequence>.parts[1].times == 1);
static_assert(plan<sequence>.step_count == plan<product>.step_count + plan<norm>.step_count);
static_assert(plan<sequence>.parts[1].first_step == plan<product>.step_count);
static_assert(plan<sequence>.steps[0].flops == plan<product>.steps[0].flops);
static_assert(plan<sequence>.steps[plan<product>.step_count].flops == plan<norm>.steps[0].flops);
static_assert(plan<sequence>.parts[0].flops == 6 * flops<product>);

// FLOPs are the sum, scratch is that of the part that takes most, behind one result.
static_assert(flops<sequence> == 6 * flops<product> + flops<norm> && plan<sequence>.flops == flops<sequence>);
static_assert(workspace_bytes<sequence> == result_bytes + larger(workspace_bytes<product>, workspace_bytes<norm>));
static_assert(plan<sequence>.scratch_bytes == workspace_bytes<sequence>);
static_assert(plan<sequence>.buffer_bytes == result_bytes);
static_assert(plan<sequence>.largest_buffer_elements ==
              larger(step_rows * step_width, plan<product>.largest_buffer_elements));
static_assert(workspace_bytes_into<step_result, sequence> == workspace_bytes<sequence>);
static_assert(workspace_bytes_into<decltype(slice<1, 0, 8>(std::declval<tensor<float, 9, 10>&>())), sequence> ==
              workspace_bytes<sequence>);
static_assert(alias_workspace_bytes<sequence> == result_bytes);

// An input that is computed is a part of its own.
static_assert(plan<computed>.part_count == 2 && plan<computed>.parts[0].times == 1);
static_assert(flops<computed> == step_rows * step_width + 6 * flops<product>);

// So is what a step evaluates when it is called, whose memory is that of the step.
static_assert(plan<logged>.part_count == 2 && plan<logged>.parts[0].times == 3 && plan<logged>.parts[1].times == 3);
static_assert(flops<logged> == 3 * 2 * step_rows * step_width);
static_assert(workspace_bytes<logged> == result_bytes + 4096);

TEST(sequence_plan, explained_as_its_plans_and_how_often_they_run) {
    const std::string text = explain(detail::in_sequence(x, product_step<6>{&weights}, norm_step{})).c_str();
    const std::string of_product = explain(product_step<6>{&weights}(x, 0, nullptr)).c_str();
    const std::string of_norm = explain(norm_step{}(x, 0, nullptr)).c_str();
    EXPECT_TRUE(text.starts_with("evaluated in parts, one after the other: ")) << text;
    EXPECT_TRUE(text.ends_with("6 times:\n" + of_product + "\nonce:\n" + of_norm)) << text;
    EXPECT_NE(text.find(" of scratch, 320 B of it between them\n\n6 times:\n"), std::string::npos) << text;
}

}  // namespace
