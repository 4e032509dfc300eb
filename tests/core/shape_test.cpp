// SPDX-License-Identifier: BSL-1.0
// Shapes: sizes, strides, axis arguments, broadcasting and the edits that operations make.
#include <array>
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>

namespace {

using namespace ashlar;
using detail::no_axis;

inline constexpr axis<"seq", 4> seq;
inline constexpr axis<"head", 4> head;
inline constexpr axis<"one", 1> one;

template <auto... Dims>
using s = shape<detail::canonical(Dims)...>;

template <class A, class B>
inline constexpr bool same = std::is_same_v<A, B>;

static_assert(s<>::rank == 0 && s<>::size == 1 && s<>::extents.empty());
static_assert(s<2, seq, 3>::rank == 3 && s<2, seq, 3>::size == 24);
static_assert(s<2, seq, 3>::extents == std::array<std::size_t, 3>{2, 4, 3});
static_assert(same<s<6>, s<6u>> && !same<s<4>, s<seq>>);

static_assert(detail::dimension_at<s<2, seq, 3>, 0> == 2 && detail::dimension_at<s<2, seq, 3>, 1> == seq);
static_assert(detail::dimension_at<s<3, 3, 3>, 2> == 3, "equal dimensions at several positions");

static_assert(detail::row_major_strides(s<2, 4, 3>::extents) == std::array<std::ptrdiff_t, 3>{12, 3, 1});
static_assert(detail::row_major_strides(s<5>::extents) == std::array<std::ptrdiff_t, 1>{1});
static_assert(detail::row_major_strides(s<>::extents).empty());

static_assert(detail::alignment_for(64, 4) == 64 && detail::alignment_for(128, 4) == 64);
static_assert(detail::alignment_for(12, 4) == 4 && detail::alignment_for(24, 4) == 8);
static_assert(detail::alignment_for(1, 1) == 1 && detail::alignment_for(8, 8) == 8);
static_assert(detail::alignment_for(24, 8) == 8 && detail::alignment_for(3, 1) == 1);

// Axis arguments.
static_assert(detail::axis_position<s<2, seq, 3>, 0>() == 0 && detail::axis_position<s<2, seq, 3>, 2>() == 2);
static_assert(detail::axis_position<s<2, seq, 3>, -1>() == 2 && detail::axis_position<s<2, seq, 3>, -3>() == 0);
static_assert(detail::axis_position<s<2, seq, 3>, 3>() == no_axis);
static_assert(detail::axis_position<s<2, seq, 3>, -4>() == no_axis);
static_assert(detail::axis_position<s<2, seq, 3>, seq>() == 1);
static_assert(detail::axis_position<s<2, seq, 3>, head>() == no_axis, "no such name");
static_assert(detail::axis_position<s<seq, seq>, seq>() == no_axis, "it must occur once");
static_assert(detail::axis_position<s<seq, head>, head>() == 1);
static_assert(detail::axis_position<s<4, 4>, seq>() == no_axis, "an anonymous axis has no name to be found by");
static_assert(detail::axis_position<s<>, 0>() == no_axis && detail::axis_position<s<>, -1>() == no_axis);

// Agreement.
static_assert(detail::shapes_agree<s<seq, 3>, s<4, 3>>() && detail::shapes_agree<s<>, s<>>());
static_assert(!detail::shapes_agree<s<seq, 3>, s<head, 3>>() && !detail::shapes_agree<s<3>, s<3, 1>>());
static_assert(!detail::shapes_agree<s<2, 3>, s<3, 2>>());

// Broadcasting.
template <class... Shapes>
using b = detail::broadcast_shape<Shapes...>;
static_assert(detail::shapes_broadcast<s<2, 3>, s<3>>() && same<b<s<2, 3>, s<3>>, s<2, 3>>);
static_assert(detail::shapes_broadcast<s<3>, s<2, 1>>() && same<b<s<3>, s<2, 1>>, s<2, 3>>);
static_assert(same<b<s<>, s<2, 3>>, s<2, 3>> && same<b<s<2, 3>, s<>>, s<2, 3>> && same<b<s<>, s<>>, s<>>);
static_assert(same<b<s<seq, 3>, s<4, 3>>, s<seq, 3>> && same<b<s<4, 3>, s<seq, 3>>, s<seq, 3>>, "names win");
static_assert(same<b<s<1, 3>, s<seq, 3>>, s<seq, 3>> && same<b<s<one>, s<5>>, s<5>>, "an extent of 1 gives way");
static_assert(same<b<s<one>, s<1>>, s<one>>);
static_assert(!detail::shapes_broadcast<s<2, 3>, s<2>>() && !detail::shapes_broadcast<s<seq>, s<head>>());
static_assert(same<b<s<2, 1, 1>, s<3, 1>, s<4>>, s<2, 3, 4>> && same<b<s<5>>, s<5>>);
static_assert(detail::aligned_position(0, 2, 3) == no_axis && detail::aligned_position(2, 2, 3) == 1);

// Edits.
static_assert(same<decltype(detail::without_axis<s<2, seq, 3>, 1, false>()), s<2, 3>>);
static_assert(same<decltype(detail::without_axis<s<2, seq, 3>, 1, true>()), s<2, 1, 3>>);
static_assert(same<decltype(detail::without_axis<s<2>, 0, false>()), s<>>);
static_assert(same<decltype(detail::with_dimension<s<2, seq, 3>, 1, std::size_t{7}>()), s<2, 7, 3>>);
static_assert(same<decltype(detail::inserted_dimension<s<2, 3>, 0, seq>()), s<seq, 2, 3>>);
static_assert(same<decltype(detail::inserted_dimension<s<2, 3>, 2, seq>()), s<2, 3, seq>>);
static_assert(same<decltype(detail::inserted_dimension<s<>, 0, std::size_t{1}>()), s<1>>);

// The named checks.
static_assert(detail::brace_extent<3, 3>::matches && !detail::brace_extent<2, 3>::matches);
static_assert(detail::assigned_shape<s<seq>, s<4>>::matches && !detail::assigned_shape<s<seq>, s<head>>::matches);
static_assert(detail::broadcast_shapes<s<2, 3>, s<3>>::agree && !detail::broadcast_shapes<s<2>, s<3>>::agree);
static_assert(detail::matmul_inner_axes<seq, std::size_t{4}>::agree && !detail::matmul_inner_axes<seq, head>::agree);
static_assert(detail::axis_argument<seq, s<2, seq>>::found && !detail::axis_argument<2, s<2, seq>>::found);
static_assert(detail::reshape_count<s<2, 6>, s<3, seq>>::same && !detail::reshape_count<s<2>, s<3>>::same);

// The concepts.
struct node {
    using shape_type = s<2, 3>;
    using value_type = const float;
    using expression_category = node_category;
};
struct array : node {
    using shape_type = s<seq>;
    using expression_category = array_category;
};
static_assert(any_element<float> && any_element<bool> && any_element<const int> && !any_element<node> &&
              !any_element<float*>);
static_assert(any_expression<node> && any_expression<const node&> && !any_expression<float> && !any_expression<node*>);
static_assert(node_expression<node&> && !array_expression<node>);
static_assert(array_expression<const array> && !node_expression<array>);
static_assert(same<shape_of<const node&>, s<2, 3>> && same<element_of<node>, float>);
static_assert(broadcastable<node, node> && !broadcastable<node, array> && !broadcastable<node, float>);

TEST(Shape, IsAllOfItCheckedByTheCompiler) { SUCCEED(); }

}  // namespace
