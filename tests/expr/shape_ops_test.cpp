// SPDX-License-Identifier: BSL-1.0
// Shape operations: which are views and which are lazy, axis names, folding, and the place of each element.
#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/kernel/math.hpp>

#include "expr/value_of.hpp"

namespace {

using namespace ashlar;
using ashlar_test::equal;
using ashlar_test::gives;
using ashlar_test::value_of;

inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"key", 4> key;
inline constexpr axis<"head", 3> head;

template <std::size_t... N>
using extents = shape<N...>;
template <class E>
constexpr auto strides_of = std::remove_cvref_t<E>::strides;
template <std::size_t N>
using steps = std::array<std::ptrdiff_t, N>;
template <class E>
constexpr bool is_view = array_expression<E> && !detail::is_owning_tensor<E>;
template <class E>
constexpr bool reads_only = std::is_const_v<std::remove_pointer_t<decltype(std::declval<E&>().data())>>;

constexpr auto counted = [] {
    tensor<float, 2, 3, 4> t{};
    for (std::size_t n = 0; n < 24; ++n) t.elements[n] = static_cast<float>(n);
    return t;
}();
constexpr tensor<float, 2, 3> m{{1, 2, 3}, {4, 5, 6}};
[[maybe_unused]] tensor<float, seq, head> named{};
using cube = tensor<float, 2, 3, 4>;
using lazy_cube = decltype(cube{} + 1);
using lazy_named = decltype(named + 1);

// Of memory that outlives the call views, as const as the memory; of anything else nodes that own it.
static_assert(std::is_same_v<decltype(transpose(named)), strided_view<float, steps<2>{1, 3}, head, seq>>);
static_assert(std::is_same_v<decltype(transpose(transpose(named))), tensor_view<float, seq, head>>);
static_assert(
    std::is_same_v<decltype(transpose(m)), strided_view<const float, steps<2>{1, 3}, std::size_t{3}, std::size_t{2}>>);
static_assert(std::is_same_v<decltype(transpose(tensor<float, 2, 3>{})),
                             permute_node<std::array<std::size_t, 2>{1, 0}, extents<3, 2>, tensor<float, 2, 3>>>);
static_assert(std::is_same_v<decltype(transpose(row(named, 0))), tensor_view<float, head>>);
static_assert(strides_of<decltype(permute<1, 2, 0>(counted))> == steps<3>{4, 1, 12});
static_assert(std::is_same_v<shape_of<decltype(permute<head, seq>(named))>, shape<head, seq>>);
static_assert(std::is_same_v<decltype(reshape<-1, 2>(named)), tensor_view<float, 6, 2>>);
static_assert(is_view<decltype(reshape<head, 2, 2>(transpose(named)))>);
static_assert(strides_of<decltype(reshape<3, 2, 2>(transpose(named)))> == steps<3>{1, 6, 3});
static_assert(strides_of<decltype(reshape<2, 1, 2, 2>(slice<2, 0, 2>(slice<1, 0, 2>(counted))))> ==
              steps<4>{12, 8, 4, 1});
static_assert(decltype(reshape<2, 6>(transpose(named)))::kind == node_kind::reshape);
static_assert(is_view<decltype(unsqueeze<0>(transpose(named)))> &&
              is_view<decltype(squeeze(unsqueeze<1>(transpose(named))))>);
static_assert(std::is_same_v<decltype(rename<key, 3>(named)), tensor_view<float, key, 3>>);
static_assert(std::is_same_v<decltype(broadcast_to<4, 3>(named)), tensor_view<float, seq, head>>);
static_assert(reads_only<decltype(broadcast_to<2, 4, 3>(named))>);
static_assert(strides_of<decltype(broadcast_to<2, 4, 3>(named))> == steps<3>{0, 3, 1});
static_assert(strides_of<decltype(slice<0, 3, 0, -2>(named))> == steps<2>{-6, 1});
static_assert(std::is_same_v<decltype(split<-1, 3>(named))::value_type,
                             strided_view<float, steps<2>{3, 1}, seq, std::size_t{1}>>);
static_assert(std::is_same_v<decltype(row(named, 2)), tensor_view<float, head>>);

// Nodes fold where the result is the operand, or another node of the same kind.
static_assert(std::is_same_v<decltype(transpose(transpose(lazy_cube{cube{} + 1}))), lazy_cube>);
static_assert(std::is_same_v<decltype(permute<1, 0, 2>(permute<1, 2, 0>(cube{} + 1))),
                             permute_node<std::array<std::size_t, 3>{2, 1, 0}, extents<4, 3, 2>, lazy_cube>>);
static_assert(std::is_same_v<decltype(reshape<2, 3, 4>(reshape<-1>(cube{} + 1))), lazy_cube>);
static_assert(std::is_same_v<decltype(reshape<6, 4>(reshape<-1>(cube{} + 1))), reshape_node<extents<6, 4>, lazy_cube>>);
static_assert(std::is_same_v<decltype(slice<0, 0, 4>(named + 1)), lazy_named>);
static_assert(std::is_same_v<decltype(slice<0, 1, 3>(slice<0, 0, 3>(named + 1))),
                             slice_node<0, 1, shape<std::size_t{2}, head>, lazy_named>>);
static_assert(std::is_same_v<decltype(concat<0>(named + 1)), lazy_named>);
static_assert(std::is_same_v<decltype(broadcast_to<2, 3, 4>(broadcast_to<3, 4>(row(cube{}, 0) + 1))),
                             broadcast_node<extents<2, 3, 4>, decltype(row(cube{}, 0) + 1)>>);
static_assert(std::is_same_v<decltype(detail::repeat<0, 1>(named + 1)), lazy_named>);

// Names: dropped where the extent changes, kept where it does not, given by reshape and rename, joined by concat.
static_assert(std::is_same_v<shape_of<decltype(slice<seq, 0, 2>(named))>, shape<std::size_t{2}, head>>);
static_assert(std::is_same_v<shape_of<decltype(slice<seq, -1, -5, -1>(named))>, shape<seq, head>>);
static_assert(std::is_same_v<shape_of<decltype(split<seq, 2>(named)[0])>, shape<std::size_t{2}, head>>);
static_assert(std::is_same_v<shape_of<decltype(split<seq, 1>(named)[0])>, shape<seq, head>>);
static_assert(
    std::is_same_v<shape_of<decltype(concat<seq>(named, tensor<float, 2, 3>{}))>, shape<std::size_t{6}, head>>);
static_assert(std::is_same_v<shape_of<decltype(concat<1>(tensor<float, 4, 2>{}, named))>, shape<seq, std::size_t{5}>>);
static_assert(std::is_same_v<shape_of<decltype(reshape<seq, 3>(named))>, shape<seq, std::size_t{3}>>);
static_assert(std::is_same_v<shape_of<decltype(rename<4, 3>(named + 1))>, extents<4, 3>>);
static_assert(std::is_same_v<shape_of<decltype(broadcast_to<2, 4, 3>(named))>, shape<std::size_t{2}, seq, head>>);
static_assert(
    std::is_same_v<shape_of<decltype(take<1>(named, tensor<int, key, 2>{}))>, shape<seq, key, std::size_t{2}>>);
static_assert(std::is_same_v<shape_of<decltype(take(named, tensor<int>{}))>, shape<head>>);
static_assert(std::is_same_v<shape_of<decltype(squeeze<0>(tensor<float, 1, seq, 1>{}))>, shape<seq, std::size_t{1}>>);

/// Whether a shape operation gives the same values of memory and, lazily, of a node.
constexpr bool both(auto operation, const auto& source, const auto& expected) {
    return gives(operation(source), expected) && gives(operation(source + 0), expected);
}
static_assert(both([](const auto& e) { return transpose(e); }, m, tensor<float, 3, 2>{{1, 4}, {2, 5}, {3, 6}}));
static_assert(both([](const auto& e) { return permute<-1, 0>(e); }, m, tensor<float, 3, 2>{{1, 4}, {2, 5}, {3, 6}}));
static_assert(both([](const auto& e) { return reshape<3, -1>(e); }, m, tensor<float, 3, 2>{{1, 2}, {3, 4}, {5, 6}}));
static_assert(both([](const auto& e) { return reshape<6>(e); }, transpose(m), tensor<float, 6>{1, 4, 2, 5, 3, 6}));
// To no axes: no extent is asked for.
static_assert(gives(reshape<>(slice<0, 1, 2>(slice<1, 2, 3>(m))), tensor<float>{6}));
static_assert(both([](const auto& e) { return slice<1, 1, 3>(e); }, m, tensor<float, 2, 2>{{2, 3}, {5, 6}}));
static_assert(both([](const auto& e) { return slice<1, -1, -4, -1>(e); }, m,
                   tensor<float, 2, 3>{{3, 2, 1}, {6, 5, 4}}));
static_assert(both([](const auto& e) { return slice<1, 2, 0, -2>(e); }, m, tensor<float, 2, 1>{{3}, {6}}));
static_assert(both([](const auto& e) { return broadcast_to<2, 2, 3>(e); }, m,
                   tensor<float, 2, 2, 3>{{{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}}}));
static_assert(both([](const auto& e) { return unsqueeze<-2>(e); }, m,
                   tensor<float, 2, 1, 3>{{{1, 2, 3}}, {{4, 5, 6}}}));
static_assert(both([](const auto& e) { return detail::repeat<0, 2>(e); }, m,
                   tensor<float, 4, 3>{{1, 2, 3}, {1, 2, 3}, {4, 5, 6}, {4, 5, 6}}));

static_assert(gives(row(m, 1), tensor<float, 3>{4, 5, 6}) && gives(row(m * 2, 1), tensor<float, 3>{8, 10, 12}));
static_assert(gives(row(row(m, 1) * 1, 2), tensor<float>{6}));
static_assert(gives(concat<1>(m, m * 2, slice<1, 0, 1>(m)),
                    tensor<float, 2, 7>{{1, 2, 3, 2, 4, 6, 1}, {4, 5, 6, 8, 10, 12, 4}}));
static_assert(gives(stack<-1>(m, -m),
                    tensor<float, 2, 3, 2>{{{1, -1}, {2, -2}, {3, -3}}, {{4, -4}, {5, -5}, {6, -6}}}));
static_assert(gives(take(m, tensor<int>{1}), tensor<float, 3>{4, 5, 6}));
static_assert(gives(split<1, 3>(m * 2)[2], tensor<float, 2, 1>{{6}, {12}}));
static_assert(gives(slice<1, 0, 2>(slice<1, 2, -4, -1>(m * 1)), tensor<float, 2, 2>{{3, 2}, {6, 5}}));
static_assert(gives(permute<1, 0, 2>(permute<1, 2, 0>(counted + 0)), value_of(permute<2, 1, 0>(counted))));
static_assert(gives(reshape<4, 6>(permute<2, 0, 1>(counted)), value_of(reshape<4, 6>(permute<2, 0, 1>(counted + 0)))));

TEST(shape_ops, views_write_through) {
    tensor<float, 4, 3> t{};
    transpose(t) = tensor<float, 3, 4>{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    EXPECT_TRUE(equal(t, tensor<float, 4, 3>{{1, 5, 9}, {2, 6, 10}, {3, 7, 11}, {4, 8, 12}}));
    slice<0, 0, 4, 2>(t) = zeros<float, 2, 3>();
    EXPECT_TRUE(equal(t, tensor<float, 4, 3>{{0, 0, 0}, {2, 6, 10}, {0, 0, 0}, {4, 8, 12}}));
    row(t, 2) = tensor<float, 3>{1, 2, 3};
    auto [left, middle, right] = split<1, 3>(t);
    right = left;
    EXPECT_TRUE(equal(t, tensor<float, 4, 3>{{0, 0, 0}, {2, 6, 2}, {1, 2, 1}, {4, 8, 4}}));
    reshape<3, 2, 2>(t)(2, 1, 1) = -1;
    rename<seq, head>(t)(0, 0) = 9;
    EXPECT_EQ(t(3, 2), -1);
    EXPECT_EQ(t(0, 0), 9);
    EXPECT_EQ(middle(3, 0), 8);
}

TEST(shape_ops, temporaries_are_owned) {
    const auto make = [] { return row(transpose(tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}}), 1); };
    const auto kept = make();
    EXPECT_TRUE(gives(kept, tensor<float, 2>{2, 5}));
}

TEST(shape_ops, row_takes_what_is_known_at_run_time) {
    for (std::size_t n = 0; n < 2; ++n) {
        EXPECT_EQ(row(m, n)(2), m(n, 2));
        EXPECT_EQ(value_of(row(m + 1, static_cast<int>(n)))(2), m(n, 2) + 1);
    }
}

}  // namespace
