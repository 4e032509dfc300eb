// SPDX-License-Identifier: BSL-1.0
// What the plan says of a destination that is what the expression reads: nothing happens, finished rows are staged, or
// anything may.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/plan/build/overlap.hpp>

namespace {

using namespace ashlar;
using detail::overlap;

template <std::size_t Rows, std::size_t Columns>
using matrix = tensor<float, Rows, Columns>;
using square = matrix<100, 40>;
constexpr square x{};
constexpr matrix<40, 40> w{};
constexpr matrix<1, 40> line{};

/// What a destination does to an expression's leaves of so many rows if it is one of them.
template <class E, std::size_t Rows>
consteval overlap over_leaves() {
    using plan = detail::planned<E, current_config>;
    overlap worst = overlap::none;
    for (detail::node_index n{}; n < plan::count; ++n)
        if (plan::nodes[n].kind == node_kind::array && plan::nodes[n].rank == 2 && plan::nodes[n].extents[0] == Rows)
            if (const overlap one = detail::overlap_with<plan>(n); one > worst) worst = one;
    return worst;
}
template <class E>
constexpr overlap over_x = over_leaves<E, 100>();
template <class E>
constexpr std::size_t staged = detail::staged_elements<detail::planned<E, current_config>>();

TEST(staged_rows, elementwise_plans_need_none) {
    EXPECT_EQ((over_x<decltype(relu(x * 2.0f) + x)>), overlap::none);
    EXPECT_EQ((over_x<decltype(exp(x) - line)>), overlap::none);
}

TEST(staged_rows, rows_of_their_own) {
    using softmaxed = decltype(softmax(x * 0.5f));
    EXPECT_EQ(over_x<softmaxed>, overlap::rows);
    EXPECT_GT(staged<softmaxed>, 0u);
    EXPECT_EQ(staged<softmaxed> % 40, 0u);
    using multiplied = decltype(matmul(x, w));
    EXPECT_EQ(over_x<multiplied>, overlap::rows);
    // What is stored elsewhere on the way is not the result.
    EXPECT_GT((staged<decltype(softmax(store(std::declval<square&>(), exp(x))))>), 0u);
    using tile = detail::planned<multiplied, current_config>;
    EXPECT_EQ(staged<multiplied>, tile::code.loops[detail::staged_loop<tile>()].tile * 40);
}

TEST(staged_rows, rows_that_others_read) {
    EXPECT_EQ((over_x<decltype(attention(x, x, x))>), overlap::any);
    EXPECT_EQ((over_x<decltype(softmax<0>(x))>), overlap::any);
    constexpr overlap over_first_row = over_leaves<decltype(softmax(x) - slice<0, 0, 1>(x)), 1>();
    EXPECT_EQ(over_first_row, overlap::any);
    // Written along the rows of a transposed destination: no whole rows.
    EXPECT_EQ((staged<decltype(transpose(matmul(transpose(w), transpose(x))))>), 0u);
}

TEST(staged_rows, elements_of_their_own) {
    using turned = matrix<40, 40>;
    EXPECT_EQ((over_leaves<decltype(transpose(turned{}) + turned{}), 40>()), overlap::any) << "of other rows";
    EXPECT_EQ((over_x<decltype(exp(roll<0, 1>(x)))>), overlap::any);
    EXPECT_EQ((over_x<decltype(softmax(roll<0, 1>(x)))>), overlap::any);
    EXPECT_EQ((over_x<decltype(softmax(roll<1, 1>(x)))>), overlap::rows) << "within their rows";
}
TEST(staged_rows, whole_rows_of_a_dense_destination) {
    constexpr auto elements_into = []<detail::axis_list Strides>(std::integral_constant<detail::axis_list, Strides>) {
        return detail::staged_elements<detail::planned<decltype(softmax(x)), current_config, Strides>>();
    };
    EXPECT_GT((elements_into(std::integral_constant<detail::axis_list, detail::axis_list{40, 1}>{})), 0u);
    EXPECT_EQ((elements_into(std::integral_constant<detail::axis_list, detail::axis_list{44, 1}>{})), 0u);
    EXPECT_EQ((elements_into(std::integral_constant<detail::axis_list, detail::axis_list{-40, 1}>{})), 0u);
    EXPECT_EQ((elements_into(std::integral_constant<detail::axis_list, detail::axis_list{1, 100}>{})), 0u);
    EXPECT_EQ((staged<decltype(sum<1>(x))>), 0u) << "one axis";
}

TEST(staged_rows, only_writer) {
    // Two stages write parts of the result.
    EXPECT_EQ((staged<decltype(concat<0>(softmax(x), matmul(x, w)))>), 0u);
}

}  // namespace
