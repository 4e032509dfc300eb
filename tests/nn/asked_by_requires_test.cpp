// SPDX-License-Identifier: BSL-1.0
// What is no call is none for concepts and traits either, rather than an error.
#include <ostream>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

namespace ashlar {
namespace {

struct other {};
template <class Left, class Right>
concept can_be_added = requires(Left& l, Right& r) { l + r; };
template <class Type>
concept can_be_summed = requires(Type& t) { sum(t); };
template <class Type>
concept can_be_summed_along = requires(Type& t) { sum(t, 1); };
template <class Left, class Right>
concept can_be_multiplied = requires(Left& l, Right& r) { matmul(l, r); };
template <class Left, class Right>
concept can_be_joined = requires(Left& l, Right& r) { cat(l, r); };
template <class Type>
concept can_be_printed = requires(std::ostream& s, const Type& t) { s << t; };

using matrix = tensor<float, 4, 4>;
using memory = std::vector<float>;
using layer = nn::linear<{.in = 4, .out = 2}>;

TEST(asked_by_requires, functions) {
    EXPECT_TRUE(can_be_summed<matrix>);
    EXPECT_FALSE(can_be_summed<other>);
    EXPECT_FALSE(can_be_summed<memory>);
    EXPECT_FALSE(can_be_summed_along<matrix>);
    EXPECT_TRUE((can_be_multiplied<matrix, matrix>));
    EXPECT_FALSE((can_be_multiplied<matrix, memory>));
    EXPECT_FALSE((can_be_joined<matrix, matrix>));
}

TEST(asked_by_requires, operators) {
    EXPECT_TRUE((can_be_added<matrix, matrix>));
    EXPECT_FALSE((can_be_added<matrix, memory>));
    EXPECT_FALSE((can_be_added<memory, matrix>));
    EXPECT_FALSE((can_be_added<matrix, float*>));
}

TEST(asked_by_requires, modules) {
    EXPECT_TRUE((std::is_invocable_v<const layer&, matrix&>));
    EXPECT_FALSE((std::is_invocable_v<const layer&, memory&>));
    EXPECT_FALSE((std::is_invocable_v<layer, memory>));
}

TEST(asked_by_requires, streams) {
    EXPECT_FALSE(can_be_printed<matrix>);
    EXPECT_FALSE(can_be_printed<layer>);
    EXPECT_TRUE(can_be_printed<float>);
}

}  // namespace
}  // namespace ashlar
