// SPDX-License-Identifier: BSL-1.0
// masked and masked_fill: the nodes they build and the values they give.
#include <cstddef>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr tensor<float, 2, 3> scores{{1, 2, 3}, {4, 5, 6}};

using masked_type = decltype(masked(scores, causal));
static_assert(masked_type::kind == node_kind::masked && sizeof(masked_type) == sizeof(void*));
static_assert(decltype(masked_fill(scores, causal, 0))::kind == node_kind::map);
// A mask with a tensor that was passed as a temporary owns it, one of a named tensor does not.
constexpr tensor<bool, 3> present{true, false, true};
static_assert(sizeof(masked(scores, keep(tensor<bool, 3>{}))) > sizeof(masked_type));
static_assert(std::is_same_v<decltype(keep(present)), detail::keep_mask<tensor_view<const bool, 3>>>);

constexpr bool equal(const tensor<float, 2, 3>& a, const tensor<float, 2, 3>& b) {
    for (std::size_t i = 0; i < 6; ++i)
        if (a.data()[i] != b.data()[i]) return false;
    return true;
}

static_assert(equal(eval(masked(scores, causal)), {{1, -infinity, -infinity}, {4, 5, -infinity}}));
static_assert(equal(eval(masked(scores, !keep(present))), {{-infinity, 2, -infinity}, {-infinity, 5, -infinity}}));
// A mask as a condition is true where it keeps.
static_assert(equal(eval(masked_fill(scores, causal, 0)), {{0, 2, 3}, {0, 0, 6}}));
static_assert(equal(eval(masked_fill(scores, !causal, -infinity)), eval(masked(scores, causal))));
static_assert(equal(eval(masked_fill(scores, scores > 3.0f, -1)), {{1, 2, 3}, {-1, -1, -1}}));
static_assert(equal(eval(masked_fill(scores, present, scores * 10)), {{10, 2, 30}, {40, 5, 60}}));
static_assert(eval(masked_fill(tensor<int, 2>{1, 2}, tensor<bool, 2>{false, true}, 7))(1) == 7);

TEST(masked, values_at_run_time) {
    const auto s = scores;
    const auto p = present;
    EXPECT_TRUE(equal(eval(masked(s, causal && keep(p))), {{1, -infinity, -infinity}, {4, -infinity, -infinity}}));
    EXPECT_TRUE(equal(eval(masked_fill(s, p, 0)), {{0, 2, 0}, {0, 5, 0}}));
    EXPECT_TRUE(equal(eval(softmax(masked(s, keys_below(1)))), {{1, 0, 0}, {1, 0, 0}}));
}

TEST(masked, borrows_the_tensor_of_a_mask) {
    const auto s = scores;
    auto p = present;
    const auto e = masked(s, keep(p));
    p(1) = true;
    EXPECT_TRUE(equal(eval(e), s));
}

}  // namespace
