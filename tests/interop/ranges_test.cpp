// SPDX-License-Identifier: BSL-1.0
// Arrays as ranges of elements and of rows, and tensors made of ranges of the right and of the wrong length.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <list>
#include <numeric>
#include <ranges>
#include <span>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/interop/ranges.hpp>

using namespace ashlar;

namespace {

inline constexpr axis<"seq", 3> seq;
using matrix = tensor<float, seq, 4>;
using strided = decltype(transpose(std::declval<matrix&>()));

// Elements.
static_assert(std::ranges::contiguous_range<matrix&> && std::ranges::sized_range<matrix&>);
static_assert(std::ranges::contiguous_range<const matrix&> && std::ranges::contiguous_range<tensor_view<float, 4>>);
static_assert(std::ranges::random_access_range<strided> && !std::ranges::contiguous_range<strided>);
static_assert(std::ranges::borrowed_range<tensor_view<float, 4>> && std::ranges::borrowed_range<strided>);
static_assert(!std::ranges::borrowed_range<matrix>);
static_assert(std::is_same_v<decltype(span_of(std::declval<matrix&>())), std::span<float, 12>>);
static_assert(std::is_same_v<decltype(span_of(std::declval<const matrix&>())), std::span<const float, 12>>);

// Rows.
using matrix_rows = decltype(rows(std::declval<matrix&>()));
static_assert(std::ranges::random_access_range<matrix_rows> && std::ranges::sized_range<matrix_rows>);
// A row that an algorithm keeps aside would still be the row in the array.
static_assert(!std::permutable<std::ranges::iterator_t<matrix_rows>>);
static_assert(std::ranges::view<matrix_rows> && std::ranges::borrowed_range<matrix_rows>);
static_assert(std::is_same_v<std::ranges::range_value_t<matrix_rows>, tensor_view<float, 4>>);
static_assert(std::is_same_v<std::ranges::range_value_t<decltype(rows(std::declval<const matrix&>()))>,
                             tensor_view<const float, 4>>);
static_assert(std::is_same_v<std::ranges::range_value_t<decltype(rows(std::declval<tensor<int, 2, 3, 4>&>()))>,
                             tensor_view<int, 3, 4>>);
template <class Array>
concept has_rows = requires { rows(std::declval<Array>()); };
template <class Array>
concept has_span = requires { span_of(std::declval<Array>()); };
static_assert(!has_rows<matrix> && !has_span<matrix>, "a temporary would dangle");
static_assert(!has_span<strided>);

TEST(ranges, rows_are_views_of_the_rows) {
    matrix t = iota<float, 3, 4>();
    EXPECT_EQ(rows(t).size(), 3u);
    std::size_t i = 0;
    for (auto row : rows(t)) EXPECT_EQ(row.data(), &t(i++, 0));
    EXPECT_EQ(i, 3u);
    for (auto row : rows(t) | std::views::drop(1) | std::views::reverse) row += 1.0f;
    EXPECT_EQ(t(0, 3), 3);
    EXPECT_EQ(t(1, 0), 5);
    EXPECT_EQ(t(2, 3), 12);
    // Columns are the rows of the transpose.
    auto columns = rows(transpose(t));
    EXPECT_EQ(&columns[3](2), &t(2, 3));
    EXPECT_EQ(columns.end() - columns.begin(), 4);
    const auto largest = std::ranges::max_element(rows(t), {}, [](auto row) { return float(sum(row)); });
    EXPECT_EQ(largest - rows(t).begin(), 2);
    const auto third = std::ranges::find_if(rows(t), [](auto row) { return row(0) > 8; });
    EXPECT_EQ((*third).data(), &t(2, 0));
}

TEST(ranges, algorithms_run_over_elements) {
    matrix t = iota<float, 3, 4>();
    std::ranges::reverse(t);
    EXPECT_EQ(t(0, 0), 11);
    EXPECT_EQ(std::ranges::max(t), 11);
    auto turned = transpose(t);
    EXPECT_EQ(*std::ranges::next(turned.begin(), 1), t(1, 0));
    std::ranges::sort(turned);
    EXPECT_EQ(t(1, 0), 1) << "sorted down the columns";
    EXPECT_EQ(span_of(t).size(), 12u);
    EXPECT_EQ(&span_of(t)[5], &t(1, 1));
    const std::vector<float> copy(t.begin(), t.end());
    EXPECT_EQ(copy.size(), 12u);
}

TEST(ranges, tensors_of_ranges) {
    const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
    const auto t = from_range<float, 2, 3>(numbers);
    ASSERT_TRUE(t);
    EXPECT_TRUE(all(*t == tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}}));
    EXPECT_TRUE((from_range<float, 6>(std::list<int>{1, 2, 3, 4, 5, 6})));
    EXPECT_TRUE((from_range<int, 2, 2>(std::array{1, 2, 3, 4})));
    EXPECT_TRUE((from_range<bf16, 2>(std::array{1.0f, 2.0f})));
    EXPECT_EQ((*from_range<float, 4>(std::views::iota(1, 5)))(3), 4);
    // Too few and too many, with and without a size that is known before.
    for (const std::size_t count : {std::size_t{0}, std::size_t{5}, std::size_t{7}}) {
        const std::vector<float> wrong(count, 1.0f);
        EXPECT_FALSE((from_range<float, 2, 3>(wrong))) << count;
        std::istringstream text(count == 5 ? "1 2 3 4 5" : count == 7 ? "1 2 3 4 5 6 7" : "");
        EXPECT_FALSE((from_range<float, 2, 3>(std::ranges::istream_view<float>(text)))) << count;
    }
    std::istringstream text("1 2 3 4 5 6");
    EXPECT_TRUE((from_range<float, 2, 3>(std::ranges::istream_view<float>(text))));
}

TEST(ranges, assignment_of_a_wrong_size_writes_nothing) {
    matrix t = full<float, 3, 4>(7);
    EXPECT_FALSE(assign_range(t, std::vector<float>(11, 0.0f)));
    EXPECT_TRUE(all(t == 7.0f));
    EXPECT_TRUE(assign_range(transpose(t), std::views::iota(0, 12)));
    EXPECT_EQ(t(1, 0), 1);
    EXPECT_EQ(t(0, 1), 3);
}

constexpr bool constant_evaluation() {
    constexpr std::array<int, 4> numbers{1, 2, 3, 4};
    const auto t = from_range<int, 2, 2>(numbers);
    int total = 0;
    for (auto row : rows(*t)) total += row(1);
    return t && total == 6;
}
static_assert(constant_evaluation());

}  // namespace
