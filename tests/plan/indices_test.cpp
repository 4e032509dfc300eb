// SPDX-License-Identifier: BSL-1.0
// Indices of different kinds do not mix, and integers are none of them. Compiling is passing.
#include <gtest/gtest.h>

#include <ashlar/plan/graph/indices.hpp>

namespace {

using namespace ashlar::detail;

template <class Left, class Right>
concept comparable = requires(Left left, Right right) { left == right; };
template <class Index, class Position>
concept is_position_of = requires(Position position) { index_at<Index>(position); };

/// Rules for two indices of different kinds.
template <class Index, class Other>
consteval bool is_apart_from() {
    return !std::is_convertible_v<Other, Index> && !std::is_assignable_v<Index&, Other> && !comparable<Index, Other> &&
           !comparable<Other, Index> && !is_position_of<Index, Other>;
}
template <class Index, class... Others>
consteval bool is_apart() {
    return ((std::is_same_v<Index, Others> || is_apart_from<Index, Others>()) && ...) &&
           !std::is_convertible_v<int, Index> && !std::is_convertible_v<std::size_t, Index> &&
           !comparable<Index, int> && !comparable<int, Index> && std::is_convertible_v<Index, std::size_t> &&
           comparable<Index, Index> && is_position_of<Index, std::size_t>;
}
template <class... Index>
consteval bool are_apart() {
    return (is_apart<Index, Index...>() && ...);
}
static_assert(are_apart<node_index, stage_index, buffer_index, loop_index, fusion_index>());

constexpr bool counts_up() {
    const int of_loops[] = {5, 7};
    int sum = 0;
    for (loop_index l{}; l < std::size(of_loops); ++l) sum += of_loops[l];
    return sum == 12 && index_at<loop_index>(1u) != no_loop;
}
static_assert(counts_up());

TEST(indices, do_not_mix) {}

}  // namespace
