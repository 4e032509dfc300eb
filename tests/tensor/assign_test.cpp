// SPDX-License-Identifier: BSL-1.0
// Copies between tensors and views that share memory: every overlap gives what a copy through a temporary would.
#include <array>
#include <cstddef>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;

template <std::ptrdiff_t... S>
inline constexpr std::array<std::ptrdiff_t, sizeof...(S)> steps{S...};

constexpr std::size_t room = 64;
using memory = std::array<int, room>;

constexpr memory counted() {
    memory m{};
    for (std::size_t i = 0; i < room; ++i) m[i] = static_cast<int>(i);
    return m;
}

/// Copies views at all pairs of places and compares with a copy that reads everything before it writes.
template <class To, class From>
void copies_right() {
    for (std::size_t to = 24; to < 40; ++to)
        for (std::size_t from = 24; from < 40; ++from) {
            memory expected = counted(), actual = expected;
            const tensor<int, 3, 4> values = From{actual.data() + from};
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 4; ++j) To{expected.data() + to}(i, j) = values(i, j);
            To{actual.data() + to} = From{actual.data() + from};
            ASSERT_EQ(actual, expected) << "to " << to << ", from " << from;
        }
}

template <std::ptrdiff_t A, std::ptrdiff_t B>
using at_steps = decltype(detail::make_view<int, shape<std::size_t{3}, std::size_t{4}>, steps<A, B>>(nullptr));

TEST(Assign, OverlappingViewsCopyAsIfThroughATemporary) {
    copies_right<at_steps<4, 1>, at_steps<4, 1>>();
    copies_right<at_steps<4, 1>, at_steps<1, 3>>();
    copies_right<at_steps<1, 3>, at_steps<4, 1>>();
    copies_right<at_steps<1, 3>, at_steps<1, 3>>();
    copies_right<at_steps<5, 1>, at_steps<4, 1>>();
    copies_right<at_steps<4, 1>, at_steps<-4, -1>>();
    copies_right<at_steps<-4, 1>, at_steps<4, -1>>();
    copies_right<at_steps<8, 2>, at_steps<8, 2>>();
    copies_right<at_steps<4, 1>, at_steps<0, 1>>();
    copies_right<at_steps<4, 1>, at_steps<0, 0>>();
}

TEST(Assign, ReachIsFromTheLowestToTheHighestElement) {
    using up = detail::array_reach<at_steps<4, 1>>;
    using down = detail::array_reach<at_steps<-4, 1>>;
    static_assert(up::lowest == 0 && up::highest == 11 && down::lowest == -8 && down::highest == 3);
    const memory m{};
    using dense = at_steps<4, 1>;
    EXPECT_TRUE((detail::arrays_overlap<current_config, dense, dense>(m.data(), m.data() + 11)));
    EXPECT_FALSE((detail::arrays_overlap<current_config, dense, dense>(m.data(), m.data() + 12)));
    EXPECT_FALSE((detail::arrays_overlap<current_config, dense, dense>(m.data() + 12, m.data())));
}

TEST(Assign, ATensorMayBeItsOwnTranspose) {
    auto t = iota<int, 5, 5>();
    const strided_view<int, steps<1, 5>, std::size_t{5}, std::size_t{5}> flipped{t.data()};
    t = flipped;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(t(i, j), static_cast<int>(5 * j + i));
    const auto& self = t;
    t = self;
    EXPECT_EQ(t(0, 1), 5);
}

TEST(Assign, LargerThanTheStackBudgetWhereNothingOverlaps) {
    static tensor<float, 300, 300> from = iota<float, 300, 300>(), to{};
    static_assert(sizeof from > current_config::stack_budget || current_config::stack_budget > 360'000);
    to = strided_view<float, steps<1, 300>, std::size_t{300}, std::size_t{300}>{from.data()};
    EXPECT_EQ(to(1, 299), from(299, 1));
    to = from;
    EXPECT_EQ(to(299, 1), from(299, 1));
}

#if ASHLAR_CHECKS && GTEST_HAS_DEATH_TEST
TEST(AssignDeathTest, LargerThanTheStackBudgetMustNotOverlap) {
    static tensor<float, 300, 300> t{};
    const strided_view<float, steps<1, 300>, std::size_t{300}, std::size_t{300}> flipped{t.data()};
    if constexpr (sizeof t > current_config::stack_budget) {
        EXPECT_DEATH(t = flipped, "ashlar: assignment: the two sides overlap");
    }
}
#endif

}  // namespace
