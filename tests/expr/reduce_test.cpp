// SPDX-License-Identifier: BSL-1.0
// Reductions and normalisations: shapes, element types and nodes first, then values.
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/kernel/math.hpp>

#include "expr/value_of.hpp"

namespace {

using namespace ashlar;
using ashlar_test::expect_near;
using ashlar_test::gives;
using ashlar_test::value_of;

inline constexpr axis<"seq", 2> seq;
inline constexpr axis<"head", 3> head;

template <std::size_t... N>
using extents = shape<N...>;

constexpr tensor<float, 2, 3> m{{1, 2, 6}, {4, 5, -6}};
constexpr tensor<int, 2, 3> i{{1, 2, 6}, {4, 5, -6}};
constexpr tensor<bool, 2, 2> t{{true, false}, {true, true}};
using named = tensor<float, seq, head, 4>;
using matrix = tensor<float, 2, 3>;

// Shapes.
static_assert(std::is_same_v<shape_of<decltype(sum<1>(named{}))>, shape<seq, std::size_t{4}>>);
static_assert(
    std::is_same_v<shape_of<decltype(sum<head>(named{}, keep_dims))>, shape<seq, std::size_t{1}, std::size_t{4}>>);
static_assert(std::is_same_v<shape_of<decltype(sum(named{}, keep_dims))>, extents<1, 1, 1>>);
static_assert(std::is_same_v<shape_of<decltype(mean<-1, seq>(named{}))>, shape<head>>);
static_assert(std::is_same_v<shape_of<decltype(max<0, 1>(named{}, keep_dims))>, extents<1, 1, 4>>);
static_assert(std::is_same_v<shape_of<decltype(min<2, 1, 0>(named{}))>, shape<>>);
static_assert(std::is_same_v<shape_of<decltype(sum(tensor<float>{}))>, shape<>>);
static_assert(std::is_same_v<shape_of<decltype(logsumexp(named{}))>, shape<seq, head>>);
static_assert(std::is_same_v<shape_of<decltype(softmax<seq>(named{}))>, shape<seq, head, std::size_t{4}>>);
static_assert(
    std::is_same_v<shape_of<decltype(layer_norm(named{}, tensor<float, 4>{}, tensor<float, 1>{}))>, named::shape_type>);

// Element types.
static_assert(std::is_same_v<decltype(argmax<0>(m))::value_type, std::int32_t>);
static_assert(std::is_same_v<decltype(sum(i))::value_type, int>);
static_assert(std::is_same_v<decltype(any(t))::value_type, bool>);

// Nodes: one axis is one node; neighbours are one axis; of one argument max reduces, of two it does not.
static_assert(
    std::is_same_v<decltype(sum<1>(m)), reduce_node<reduction_kind::sum, 1, false, extents<2>, float,
                                                    basic_view<const float, std::size_t{2}, std::size_t{3}>>>);
static_assert(std::is_same_v<decltype(mean<1, 2>(named{} * 1))::shape_type, shape<seq>>);
static_assert(decltype(mean<1, 2>(named{} * 1))::operand_count == 1);
static_assert(decltype(max(m))::kind == node_kind::reduce && decltype(max<0>(m))::kind == node_kind::reduce);
static_assert(decltype(max(m, m))::kind == node_kind::map && decltype(max(m, 0.0f))::kind == node_kind::map);
static_assert(std::is_same_v<decltype(max(m, 0.0f)), decltype(max(0.0f, m))>, "a number may come first");
static_assert(std::is_same_v<decltype(min(m, 0.0f)), decltype(min(0.0f, m))>);
static_assert(std::is_same_v<decltype(softmax(m * 1)), softmax_node<softmax_kind::plain, 1, decltype(m * 1)>>);
static_assert(decltype(layer_norm(m))::kind == node_kind::standardize);

// Values.
static_assert(gives(sum<0>(m), tensor<float, 3>{5, 7, 0}));
static_assert(gives(sum<1>(i), tensor<int, 2>{9, 3}));
static_assert(gives(sum(m), tensor<float>{12}) && gives(sum<0, 1>(m), tensor<float>{12}));
static_assert(gives(sum(m, keep_dims), tensor<float, 1, 1>{{12}}));
static_assert(gives(mean<1>(m, keep_dims), tensor<float, 2, 1>{{3}, {1}}));
static_assert(gives(max<1>(m), tensor<float, 2>{6, 5}) && gives(min(i), tensor<int>{-6}));
static_assert(gives(variance<0>(m), tensor<float, 3>{2.25f, 2.25f, 36}));
static_assert(gives(argmax<1>(m), tensor<std::int32_t, 2>{2, 1}) && gives(argmax(m), tensor<std::int32_t>{2}));
static_assert(gives(argmax(tensor<int, 4>{3, 7, 7, 1}), tensor<std::int32_t>{1}));
static_assert(gives(argmin(tensor<int, 4>{3, 1, 7, 1}), tensor<std::int32_t>{1}));
static_assert(gives(prod(tensor<int, 4>{3, 7, -2, 1}), tensor<int>{-42}));
static_assert(gives(norm<0>(tensor<float, 2, 2>{{3, 5}, {4, 12}}), tensor<float, 2>{5, 13}));
static_assert(gives(norm(tensor<float, 2, 2>{{1, 1}, {1, 1}}, keep_dims), tensor<float, 1, 1>{{2}}));
static_assert(gives(all<0>(t), tensor<bool, 2>{true, false}) && gives(any<1>(!t), tensor<bool, 2>{true, false}));
static_assert(gives(all(t), tensor<bool>{false}) && gives(any(m > 5), tensor<bool>{true}));
static_assert(gives(sum(tensor<float>{3}), tensor<float>{3}));

TEST(reduce, several_axes_agree_with_one_after_another) {
    tensor<double, 3, 2, 5> x;
    for (std::size_t n = 0; n < x.size(); ++n) x.elements[n] = std::sin(static_cast<double>(7 * n + 1));
    expect_near(sum<0, 2>(x), value_of(sum<0>(sum<2>(x))), 1e-14);
    expect_near(mean<2, 0>(x), value_of(mean<0>(mean<2>(x))), 1e-14);
    expect_near(max<0, 2>(x), value_of(max<0>(max<2>(x))));
    expect_near(logsumexp(reshape<30>(x)), value_of(logsumexp(logsumexp(logsumexp(x)))), 1e-14);

    tensor<double, 2> variances{};
    tensor<std::int32_t, 2> positions{};
    for (std::size_t b = 0; b < 2; ++b) {
        double total = 0, squares = 0, largest = -2;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t c = 0; c < 5; ++c) {
                total += x(a, b, c) / 15;
                if (x(a, b, c) > largest) positions(b) = static_cast<std::int32_t>(a * 5 + c);
                largest = std::max(largest, x(a, b, c));
            }
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t c = 0; c < 5; ++c) squares += (x(a, b, c) - total) * (x(a, b, c) - total) / 15;
        variances(b) = squares;
    }
    expect_near(variance<0, 2>(x), variances, 1e-13);
    expect_near(argmax<0, 2>(x), positions, 0);
}

TEST(normalize, softmax_and_its_logarithm) {
    const tensor<double, 2, 3> x{{1000, 1001, 999}, {-1, 0, 2}};
    tensor<double, 2, 3> expected, logarithm;
    tensor<double, 2> folded;
    for (std::size_t r = 0; r < 2; ++r) {
        double total = 0;
        for (std::size_t c = 0; c < 3; ++c) total += std::exp(x(r, c) - x(r, 1));
        for (std::size_t c = 0; c < 3; ++c) expected(r, c) = std::exp(x(r, c) - x(r, 1)) / total;
        for (std::size_t c = 0; c < 3; ++c) logarithm(r, c) = x(r, c) - x(r, 1) - std::log(total);
        folded(r) = x(r, 1) + std::log(total);
    }
    expect_near(softmax(x), expected, 1e-14);
    expect_near(softmax<0>(transpose(x)), value_of(transpose(expected)), 1e-14);
    expect_near(log_softmax(x), logarithm, 1e-12);
    expect_near(logsumexp(x), folded, 1e-14);
    expect_near(logsumexp<-1>(x, keep_dims), value_of(unsqueeze<1>(folded)), 1e-14);
}

TEST(normalize, a_row_of_minus_infinity) {
    const float infinity = std::numeric_limits<float>::infinity();
    const tensor<float, 2> empty{-infinity, -infinity};
    EXPECT_TRUE(gives(softmax(empty), tensor<float, 2>{0, 0}));
    EXPECT_TRUE(gives(log_softmax(empty), empty));
    EXPECT_TRUE(gives(logsumexp(empty), tensor<float>{-infinity}));
}

}  // namespace
