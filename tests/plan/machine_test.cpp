// SPDX-License-Identifier: BSL-1.0
// Plans for machines other than the one that compiles: one compiler makes all of them. Compiling is passing.
#include <string_view>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;

template <class T, auto... Dims>
tensor<T, Dims...>& x() {
    static tensor<T, Dims...> t{};
    return t;
}

template <class E, class Config>
using plan_for = detail::planned<std::remove_cvref_t<E>, Config>;

template <class E, class Config>
constexpr std::size_t lanes_in() {
    return plan_for<E, Config>::target.lanes(sizeof(element_of<E>));
}

/// Stages of a kind, in lanes of an axis.
template <class E, class Config>
constexpr std::size_t stages(detail::stage_kind kind, detail::lane_axis lanes) {
    std::size_t count = 0;
    const auto& code = plan_for<E, Config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        count += code.stages[s].kind == kind && code.stages[s].lanes == lanes;
    return count;
}
template <class E, class Config>
constexpr std::size_t copies() {
    return stages<E, Config>(detail::stage_kind::map, detail::lane_axis::rows);
}

using attention64 = decltype(attention(x<float, 64, 64>(), x<float, 64, 64>(), x<float, 64, 64>()));
using attention64d = decltype(attention(x<double, 64, 64>(), x<double, 64, 64>(), x<double, 64, 64>()));

TEST(machines, have_lanes) {
    static_assert(lanes_in<attention64, avx512>() == 16 && lanes_in<attention64d, avx512>() == 8);
    static_assert(lanes_in<attention64, avx2>() == 8 && lanes_in<attention64d, avx2>() == 4);
    static_assert(lanes_in<attention64, sse2>() == 4 && lanes_in<attention64d, sse2>() == 2);
    static_assert(lanes_in<attention64, emulated256>() == 8 && lanes_in<attention64, sve256>() == 8);
    static_assert(lanes_in<attention64, scalar>() == 1 && lanes_in<attention64d, scalar>() == 1);
}

// Numbers of rows in lanes end at a full register.
TEST(machines, pad_to_their_registers) {
    using rows3 = decltype(attention(x<float, 3, 8>(), x<float, 5, 8>(), x<float, 5, 8>(), causal));
    static_assert(plan<rows3, avx512>.steps[0].scratch_bytes > plan<rows3, avx2>.steps[0].scratch_bytes);
    static_assert(workspace_bytes<rows3, 1, avx512> == plan_for<rows3, avx512>::code.scratch_bytes);
}

// Tall tiles where their scratch fits into the L2, flat ones where only theirs does.
TEST(machines, choose_tile_rows_by_their_l2) {
    using hidden6144 = decltype(matmul(gelu(matmul(x<float, 128, 64>(), x<float, 64, 6144>())), x<float, 6144, 64>()));
    constexpr std::size_t kib = 1024;
    static_assert(plan<hidden6144, built_for<avx2_sets, 256, 16, 32 * kib, 1024 * kib>>.steps[0].tile_rows == 32);
    static_assert(plan<hidden6144, built_for<avx2_sets, 256, 16, 32 * kib, 512 * kib>>.steps[0].tile_rows == 16);
    static_assert(plan<hidden6144, built_for<avx2_sets, 256, 16, 32 * kib, 128 * kib>>.steps[0].tile_rows == 32);
    using hidden768 = decltype(matmul(gelu(matmul(x<float, 128, 8>(), x<float, 8, 768>())), x<float, 768, 8>()));
    static_assert(plan<hidden768, avx2>.steps[0].tile_rows == 32);
    static_assert(plan<hidden768, scalar>.steps[0].tile_rows == 16);
}

// Four rows leave lanes for several of their depth steps side by side in registers of eight and more, which takes no
// copy of them; in smaller ones rows are copied into lanes, and one lane needs no copy.
TEST(machines, take_few_rows_by_their_lanes) {
    using rows4 = decltype(attention(x<float, 4, 64>(), x<float, 64, 64>(), x<float, 64, 64>()));
    static_assert(copies<rows4, avx512>() == 0 && copies<rows4, avx2>() == 0);
    static_assert(copies<rows4, sse2>() == 1 && copies<rows4, scalar>() == 0);
}

// Rows that fill a register are turned in it where that needs no way through memory.
TEST(machines, turn_whole_registers_where_they_shuffle) {
    using rows8 = decltype(attention(x<float, 8, 4>(), x<float, 8, 4>(), x<float, 8, 16>()));
    static_assert(copies<rows8, avx2>() == 0);
    static_assert(copies<rows8, emulated256>() == 1 && copies<rows8, sve256>() == 1);
}

// One row against rows: dot products. More rows than half a register: in lanes.
TEST(machines, take_rows_or_depth_in_lanes) {
    constexpr auto kind = detail::stage_kind::product;
    using narrow = decltype(matmul(x<float, 3, 33>(), transpose(x<float, 500, 33>())));
    static_assert(stages<narrow, avx512>(kind, detail::lane_axis::depth) == 1);
    static_assert(stages<narrow, sse2>(kind, detail::lane_axis::rows) == 1);
}

TEST(machines, are_explained) {
    const auto e = attention(x<float, 64, 64>(), x<float, 64, 64>(), x<float, 64, 64>());
    const auto says = [&](const auto& text, const char* part) {
        return std::string_view(text.c_str()).find(part) != std::string_view::npos;
    };
    EXPECT_TRUE(says(explain<decltype(e), avx512>(e), "16 lanes"));
    EXPECT_TRUE(says(explain<decltype(e), sse2>(e), "4 lanes"));
    EXPECT_TRUE(says(explain<decltype(e), scalar>(e), "1 lane\n"));
}

}  // namespace
