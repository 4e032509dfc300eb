// SPDX-License-Identifier: BSL-1.0
// Adaptors of epilogues, and how the hooks of an epilogue are found.
#include <cstddef>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/epilogue.hpp>

#include "kernel/recorded_epilogue.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;
using namespace recording;

template <class T>
class epilogue_adaptors : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(epilogue_adaptors, element_types);

struct shifted_place {
    static std::size_t row(std::size_t i) { return i + 1; }
    static std::size_t column(std::size_t j) { return j + 2; }
};

/// Everything that passes an adaptor that replaces nothing arrives.
TYPED_TEST(epilogue_adaptors, forwards_all_hooks) {
    using T = TypeParam;
    recorder<T, every_hook> inner{8, 40, 1};
    forwarding_epilogue<recorder<T, every_hook>, shifted_place> outer{inner};
    using outer_type = decltype(outer);
    using vec = typename recorder<T, every_hook>::vec;
    static_assert(outer_type::hooks == every_hook && callable_hooks<outer_type, vec> == every_hook);
    static_assert(outer_type::ends_within);
    const auto at = [&](std::size_t i, std::size_t j) -> element_log& { return inner.log[i * inner.columns + j]; };

    outer.begin_columns(9);
    EXPECT_EQ(inner.following.back(), 11u);
    const vec rows[2] = {vec(T(5)), vec(T(6))};
    outer.vector(0, 0, vec(T(3)), lane_count<1>{}, masked_block{});
    EXPECT_EQ(at(1, 2).given, 1);
    EXPECT_EQ(inner.sums[1 * inner.columns + 2], T(3));
    outer.column(1, 0, rows, lane_count<1>{}, masked_block{});
    EXPECT_EQ(inner.sums[2 * inner.columns + 2], T(5));
    EXPECT_EQ(inner.sums[3 * inner.columns + 2], T(6));
    EXPECT_EQ(outer.initial(3, 4, lane_count<1>{})[0], T(406));
    EXPECT_EQ(at(4, 6).started, 1);
    EXPECT_EQ(outer.begin_block(4, 5, 6, 7), block_verdict::plain);
    EXPECT_EQ(at(5, 8).asked, 1);
    EXPECT_TRUE(outer.splits_block(5, 6, 1, 2));
    EXPECT_EQ(at(6, 3).split, 1);
    EXPECT_EQ(outer.kept_halves(6, 7, 0, width<T>).first, 1u);
    EXPECT_EQ(at(7, 2).halved, 1);
    outer.interleave();
    EXPECT_EQ(inner.interleaved, 1u);
    for (element_log& other : inner.log) other.needed = false;
    outer.end_block(0, 1, 0, 1);
    EXPECT_EQ(at(1, 2).ended, 1);
}

TYPED_TEST(epilogue_adaptors, forwards_groups) {
    using T = TypeParam;
    recorder<T, hook::group> inner{4, 1, 1};
    forwarding_epilogue<recorder<T, hook::group>, shifted_place> outer{inner};
    outer.group(1, typename recorder<T, hook::group>::vec(T(7)), lane_count<1>{}, masked_block{});
    EXPECT_EQ(inner.sums[2], T(7));
}

/// Nothing but the hooks of the inner one, and what is added.
struct only_vector {
    static constexpr hook hooks = hook::vector;
    template <class Lanes, std::size_t N, class Verdict>
    void vector(std::size_t, std::size_t, Lanes, lane_count<N>, Verdict) const {}
};
using float_lanes = lanes<float, width<float>, current_config>;
static_assert(callable_hooks<forwarding_epilogue<only_vector>, float_lanes> == hook::vector);
static_assert(named_hooks<only_vector> == hook::vector && named_hooks<recorder<float, hook::vector>> == every_hook);

/// Hooks are found by name, with any parameters.
struct odd_parameters {
    void end_block() const {}
    template <class Other>
    void initial(Other) const {}
};
static_assert(named_hooks<odd_parameters> == (hook::end_block | hook::initial));
static_assert(callable_hooks<odd_parameters, float_lanes> == hook::none);
struct odd_adaptor : forwarding_epilogue<only_vector> {
    void end_block() const {}
};
static_assert(own_hooks<forwarding_epilogue<only_vector>> == hook::none && own_hooks<odd_adaptor> == hook::end_block);

}  // namespace
