// SPDX-License-Identifier: BSL-1.0
// print of lazy expressions with options, and heat maps of weights: the text in a terminal.
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/print.hpp>

namespace {

using namespace ashlar;

std::string printed(const auto& e, const print_options& how = {}) {
    std::ostringstream os;
    print(os, e, how);
    return os.str();
}
std::string mapped(const auto& e, const heat_map_options& how = {}) {
    std::ostringstream os;
    print_heat_map(os, e, how);
    return os.str();
}

TEST(printed_values, expressions_are_evaluated) {
    const tensor<float, 2, 2> x{1, 2, 3, 4};
    EXPECT_EQ(printed(matmul(x, transpose(x)) * 0.5f), "[[ 2.5000,  5.5000],\n [ 5.5000, 12.5000]]\n");
    EXPECT_EQ(printed(transpose(x)), "[[1., 3.],\n [2., 4.]]\n") << "a view is printed as it is";
    EXPECT_EQ(printed(iota<int, 500, 500>() + 1, {.edge_items = 1}),
              "[[     1, ...,    500],\n ...,\n [249501, ..., 250000]]\n")
        << "more than the stack may hold";
}

TEST(printed_values, to_the_standard_output) {
    testing::internal::CaptureStdout();
    print(iota<int, 3>() * 2);
    print_heat_map(full<float, 1, 2>(0.5f), {.largest = 1});
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "[0, 2, 4]\n   ▒▒0.50  ▒▒0.50\n");
}

TEST(printed_values, options) {
    const auto x = iota<int, 4, 5>();
    EXPECT_EQ(printed(x, {.threshold = 19, .edge_items = 2}), "[[ 0,  1, ...,  3,  4],\n"
                                                              " [ 5,  6, ...,  8,  9],\n"
                                                              " [10, 11, ..., 13, 14],\n"
                                                              " [15, 16, ..., 18, 19]]\n")
        << "an axis of twice the edge is whole";
    EXPECT_EQ(printed(x, {.threshold = 20, .edge_items = 1}), printed(x)) << "the threshold itself is printed";
    EXPECT_EQ(printed(x, {.threshold = 0, .edge_items = 1}), "[[ 0, ...,  4],\n ...,\n [15, ..., 19]]\n");
    EXPECT_EQ(printed(x, {.threshold = 0, .edge_items = 0}), "[...]\n");
    const tensor<float, 3> y{0.125f, 2.5f, -1};
    EXPECT_EQ(printed(y, {.decimals = 1}), "[ 0.1,  2.5, -1.0]\n");
    EXPECT_EQ(printed(tensor<float, 2>{1.25e8f, -1}, {.decimals = 2}), "[ 1.25e+08, -1.00e+00]\n");
    EXPECT_EQ(printed(iota<int, 6>(), {.line_width = 9}), "[0, 1,\n 2, 3,\n 4, 5]\n");
    EXPECT_EQ(printed(tensor<double, 1>{1e-3}, {.decimals = 1000}).size(), 1u + 42 + 2) << "at most 40 decimals";
}

TEST(heat_maps, blocks_and_numbers) {
    constexpr const char* words[] = {"a", "étape", "lengthy name"};
    const tensor<float, 3, 3> w{1, 0, 0, 0.25f, 0.75f, 0, 0.1f, 0.5f, 0.4f};
    EXPECT_EQ(mapped(w, {.rows = words, .columns = words}), "                    a   étape lengthy\n"
                                                            "           a   ██1.00       .       .\n"
                                                            "       étape   ░░0.25  ▓▓0.75       .\n"
                                                            "lengthy name     0.10  ▒▒0.50  ▒▒0.40\n");
    EXPECT_EQ(mapped(w, {.numbers = false}), " ██ . .\n ░░▓▓ .\n   ▒▒▒▒\n");
    EXPECT_EQ(mapped(w, {.numbers = false, .largest = 2}), " ▒▒ . .\n   ░░ .\n   ░░░░\n");
    EXPECT_EQ(mapped(w[1], {.numbers = false}), " ░░██ .\n") << "the greatest element is a full block";
}

TEST(heat_maps, other_elements) {
    EXPECT_EQ(mapped(tensor<bool, 2, 2>{false, false, true, true}), "  . .\n ████\n") << "masks have no numbers";
    EXPECT_EQ(mapped(tensor<float, 2, 2>{{-10, 1}, {0, -0.5f}}), "     -10.00  ██  1.00\n          .     -0.50\n")
        << "columns are as wide as the longest number, also a negative one";
    const tensor<float, 1, 4> wrong{std::numeric_limits<float>::quiet_NaN(), 1, 0.1f, 0};
    EXPECT_EQ(mapped(wrong), "      nan  ██1.00    0.10       .\n");
    EXPECT_EQ(mapped(wrong, {.numbers = false}), " ??██   .\n") << "NaN is not taken for a small number";
    EXPECT_EQ(mapped(wrong, {.line_width = 5}).substr(0, 3), " ??") << "several elements, one of them NaN";
    EXPECT_EQ(mapped(iota<int, 2, 2, 2>(), {.numbers = false}), "map 0:\n  .░░\n ▓▓██\n\nmap 1:\n ▒▒▓▓\n ████\n");
}

TEST(heat_maps, of_many_columns) {
    const auto w = attention_weights(tensor<float, 8, 4>{}, tensor<float, 8, 4>{}, causal);
    EXPECT_EQ(mapped(w, {.line_width = 17}).substr(0, 22), " ██ . . . . . . .\n") << "numbers do not fit";
    const std::string pooled = mapped(w, {.line_width = 9});
    EXPECT_EQ(pooled, " ██ . . .\n ▒▒▒▒ . .\n ░░░░░░ .\n ░░░░░░  \na block is the mean of 2 x 2\n") << pooled;
}

}  // namespace
