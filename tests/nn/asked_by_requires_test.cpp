// SPDX-License-Identifier: BSL-1.0
// What is no call is none for concepts and traits either, rather than an error. Compiling is passing.
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

TEST(asked_by_requires, functions_operators_modules_and_streams) {
    static_assert(can_be_summed<matrix> && !can_be_summed<other> && !can_be_summed<memory>);
    static_assert(!can_be_summed_along<matrix>);
    static_assert(can_be_multiplied<matrix, matrix> && !can_be_multiplied<matrix, memory>);
    static_assert(!can_be_joined<matrix, matrix>);
    static_assert(can_be_added<matrix, matrix> && !can_be_added<matrix, memory> && !can_be_added<memory, matrix>);
    static_assert(!can_be_added<matrix, float*>);
    static_assert(std::is_invocable_v<const layer&, matrix&> && !std::is_invocable_v<const layer&, memory&>);
    static_assert(!std::is_invocable_v<layer, memory>);
    static_assert(can_be_printed<float> && !can_be_printed<matrix> && !can_be_printed<layer>);
}

}  // namespace
}  // namespace ashlar
