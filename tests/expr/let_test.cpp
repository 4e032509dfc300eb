// SPDX-License-Identifier: BSL-1.0
// let, store, index and rsqrt_extent.
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/shape_constants.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/kernel/math.hpp>

#include "expr/value_of.hpp"

namespace {

using namespace ashlar;
using ashlar_test::equal;
using ashlar_test::gives;
using ashlar_test::value_of;

inline constexpr axis<"seq", 2> seq;
inline constexpr axis<"head", 3> head;

constexpr tensor<float, 2, 3> m{{1, 2, 3}, {4, 5, 6}};

struct squared {
    constexpr auto operator()(const auto& y) const { return y * y; }
};
struct itself {
    constexpr const auto& operator()(const auto& y) const { return y; }
};

// A let: value, body, and in the body a name of the value's shape.
using value = decltype(m + 1);
using tag = detail::let_tag<squared, value>;
using name = let_value_node<tag, shape<std::size_t{2}, std::size_t{3}>, float>;
static_assert(
    std::is_same_v<decltype(let(m + 1, squared{})),
                   let_node<tag, value, map_node<detail::times_function, name::shape_type, float, name, name>>>);
static_assert(std::is_same_v<decltype(let(m + 1, itself{}))::shape_type, name::shape_type>);

static_assert(gives(let(m + 1, squared{}), tensor<float, 2, 3>{{4, 9, 16}, {25, 36, 49}}));
static_assert(gives(let(m + 1, itself{}), tensor<float, 2, 3>{{2, 3, 4}, {5, 6, 7}}));
static_assert(gives(let(m, squared{}), tensor<float, 2, 3>{{1, 4, 9}, {16, 25, 36}}));
static_assert(gives(let(m - mean<1>(m, keep_dims), [](auto& d) { return d * sum<1>(d * d, keep_dims); }),
                    tensor<float, 2, 3>{{-2, 0, 2}, {-2, 0, 2}}));
// One let inside another, and two of one type side by side.
static_assert(gives(let(let(m, squared{}), squared{}), tensor<float, 2, 3>{{1, 16, 81}, {256, 625, 1296}}));
static_assert(gives(let(row(m, 0) * 1,
                        [](const auto& y) { return let(y + 1, [&](const auto& z) { return y * z + z; }); }),
                    tensor<float, 3>{4, 9, 16}));
static_assert(gives(let(row(m, 0) * 1, squared{}) + let(row(m, 1) * 1, squared{}), tensor<float, 3>{17, 29, 45}));

// index: coordinates without an operand.
static_assert(std::is_same_v<decltype(index<head>(tensor<float, seq, head>{})), index_node<1, shape<seq, head>>>);
static_assert(gives(index<0>(m), tensor<std::int32_t, 2, 3>{{0, 0, 0}, {1, 1, 1}}));
static_assert(gives(index<-1>(m * 2), tensor<std::int32_t, 2, 3>{{0, 1, 2}, {0, 1, 2}}));

// rsqrt_extent: exact where the square root is, and within one unit elsewhere.
static_assert(rsqrt_extent<1> == 1 && rsqrt_extent<4> == 0.5 && rsqrt_extent<64> == 0.125 &&
              rsqrt_extent<10000> == 0.01);
static_assert(rsqrt_extent<head> * rsqrt_extent<head> > 0.33333333333333320 &&
              rsqrt_extent<head> * rsqrt_extent<head> < 0.33333333333333350);
static_assert(std::is_same_v<decltype(m * rsqrt_extent<head>)::value_type, float>);

// store: the destination as a view, the operand passed on.
static_assert(std::is_same_v<decltype(store(std::declval<tensor<float, 2, 3>&>(), m + 1)),
                             store_node<tensor_view<float, 2, 3>, value>>);

TEST(store, writes_the_operand) {
    tensor<float, 2, 3> kept{};
    const auto e = sum(store(kept, m * 2));
    EXPECT_EQ(kept(0, 0), 0);
    EXPECT_TRUE(gives(e, tensor<float>{42}));
    EXPECT_TRUE(equal(kept, tensor<float, 2, 3>{{2, 4, 6}, {8, 10, 12}}));
}

TEST(store, writes_through_a_view) {
    tensor<float, 3, 4> kept{};
    EXPECT_TRUE(gives(store(transpose(slice<1, 1, 3>(kept)), m), m));
    EXPECT_TRUE(equal(kept, tensor<float, 3, 4>{{0, 1, 4, 0}, {0, 2, 5, 0}, {0, 3, 6, 0}}));
}

TEST(let, owns_what_has_no_name) {
    const auto make = [] { return let(tensor<float, 3>{1, 2, 3}, squared{}); };
    const auto kept = make();
    EXPECT_TRUE(gives(kept, tensor<float, 3>{1, 4, 9}));
}

}  // namespace
