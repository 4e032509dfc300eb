// SPDX-License-Identifier: BSL-1.0
// stack_bytes of functions of matrices against what calls really take.
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#include <ashlar/linalg.hpp>

#include "support/painted_stack.hpp"

namespace {

using namespace ashlar;

template <std::size_t N, auto... Batch>
void expect_within() {
    if (!test::has_usual_frames) GTEST_SKIP() << "only optimised builds are measured";
    SCOPED_TRACE(N);
    static tensor<float, Batch..., N, N> a{}, y{};
    a = broadcast_to<Batch..., N, N>(identity<float, N>() * 2.0f);
    static tensor<float, Batch..., N, 4> b{}, x{};
    test::painted_stack stack;
    const auto check = [&](auto& to, const auto& e) {
        using expression = std::remove_cvref_t<decltype(e)>;
        static workspace<workspace_bytes<expression>> scratch;
        const auto run = [&] { evaluate(to, e, scratch); };
        const std::size_t taken = stack.depth_of(run);
        EXPECT_LE(taken, stack_bytes<expression>);
        EXPECT_LE(stack_bytes<expression>, taken + alias_workspace_bytes<expression> + 12 * 1024);
    };
    check(y, inverse(a));
    check(x, solve(a, b));
    check(x, solve_spd(a, b));
    check(y, cholesky(a));
}

TEST(linalg_stack, scalars) { expect_within<4>(); }
TEST(linalg_stack, symmetric_scalars) { expect_within<8>(); }
TEST(linalg_stack, columns_in_lanes) { expect_within<32>(); }
TEST(linalg_stack, matrices_in_lanes) { expect_within<32, lane_width<float>>(); }

}  // namespace
