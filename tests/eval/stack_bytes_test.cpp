// SPDX-License-Identifier: BSL-1.0
// stack_bytes against what calls really take: they run on a stack that was filled with a pattern.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/linalg.hpp>

#include "support/painted_stack.hpp"

namespace {

using namespace ashlar;

/// What the bound may exceed a call by: register files that this compiler did not spill.
constexpr std::size_t register_files =
    current_config::register_bits == 0 ? 1536 : 3 * current_config::registers * (current_config::register_bits / 8);
constexpr std::size_t usual_slack = 2048 + register_files + 1024;

template <class Destination, class Expression>
void expect_within_into(Destination& y, const Expression& e, std::size_t overlap, std::size_t slack = usual_slack) {
    if constexpr (test::has_usual_frames) {
        static workspace<workspace_bytes<Expression>> scratch;
        test::painted_stack stack;
        const auto with_workspace = [&] { evaluate(y, e, scratch); };
        const std::size_t taken = stack.depth_of(with_workspace);
        EXPECT_LE(taken, stack_bytes<Expression>);
        EXPECT_GE(taken, overlap);  // the pattern notices
        EXPECT_LE(stack_bytes<Expression>, taken - overlap + alias_workspace_bytes<Expression> + slack);
        if constexpr (workspace_bytes<Expression> <= current_config::stack_budget) {
            const auto on_stack = [&] { evaluate(y, e); };
            const std::size_t all = stack.depth_of(on_stack);
            EXPECT_LE(all, stack_bytes<Expression> + workspace_bytes<Expression> + detail::scratch_alignment);
            if (workspace_bytes<Expression> > 1024) {
                EXPECT_GE(all, workspace_bytes<Expression>);
            }
        }
    } else {
        GTEST_SKIP() << "only optimised builds are measured";
    }
}

template <class Expression>
void expect_within(const Expression& e, std::size_t slack = usual_slack) {
    static detail::value_tensor<Expression> y;
    expect_within_into(y, e, 0, slack);
}

/// The operand of each shape.
template <auto... Dims>
tensor<float, Dims...> x{};

template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
void products() {
    const auto& a = x<Rows, Depth>;
    const auto& b = x<Depth, Columns>;
    expect_within(matmul(a, b));
    expect_within(matmul(a, transpose(x<Columns, Depth>)));
    expect_within(gelu(matmul(a, b)));
    expect_within(softmax(tanh(matmul(a, b))));
}

TEST(stack_bytes, products) {
    products<1, 16, 16>();
    products<64, 64, 64>();
    products<100, 24, 49>();
}

/// Kernels pack a few last columns, and few rows, into tables, up to 8 KiB, and 16 KiB here: in the workspace, not on
/// the stack.
TEST(stack_bytes, tables_of_kernels) {
    expect_within(matmul(x<64, 1900>, x<1900, 17>));
    expect_within(attention(x<4, 1024>, x<60, 1024>, x<60, 8>));
    // Panels of 20 columns end inside a register, although the matrix does not.
    static packed<float, 500, 80, 20> panels{};
    expect_within(matmul(x<64, 500>, panels));
}

TEST(stack_bytes, attention) {
    expect_within(attention(x<4, 8>, x<4, 8>, x<4, 8>));
    expect_within(attention(x<65, 64>, x<65, 64>, x<65, 64>));
    expect_within(attention(x<65, 64>, x<65, 64>, x<65, 64>, causal));
    const auto& heads = x<2, 4, 40, 24>;
    expect_within(attention(heads, heads, heads, causal, bias(x<4, 40, 40>), softcap(20.f)));
    expect_within(attention(heads, heads, heads, sliding_window<7, 0>));
    expect_within(attention(heads, heads, heads, keys_below(17)));
    // Tiles of scores whose mask is tested pair by pair, next to a hyperbolic tangent: the largest number of spilled
    // registers.
    expect_within(attention(x<35, 24>, x<71, 24>, x<71, 5>, softcap(2.f), causal_at(35) || sliding_window<20, -1>));
}

TEST(stack_bytes, rows) {
    const auto& a = x<100, 53>;
    expect_within(softmax(a));
    expect_within(softmax<0>(a));
    expect_within(layer_norm(a, 1e-5f));
    expect_within(a - logsumexp<1>(a, keep_dims));
    expect_within(exp(a) * 2.f + erf(a));
    expect_within(concat<0>(slice<0, 0, 50>(a), exp(slice<0, 50, 100>(a))));
}

TEST(stack_bytes, overlaps) {
    auto& a = x<60, 60>;
    static tensor<float, 60, 60> b{};
    expect_within_into(a, matmul(transpose(a), b), sizeof a);
    expect_within_into(a, exp(transpose(a)), sizeof a);
    expect_within_into(a, softmax(a), 0);
    expect_within_into(a, transpose(a), sizeof a);
}

template <std::size_t N, auto... Batch>
void matrices() {
    static tensor<float, Batch..., N, N> a = broadcast_to<Batch..., N, N>(identity<float, N>() * 2.0f);
    expect_within(inverse(a), 12 * 1024);
    expect_within(solve(a, x<Batch..., N, 4>), 12 * 1024);
    expect_within(solve_spd(a, x<Batch..., N, 4>), 12 * 1024);
    expect_within(cholesky(a), 12 * 1024);
}
TEST(stack_bytes, scalars) { matrices<4>(); }
TEST(stack_bytes, symmetric_scalars) { matrices<8>(); }
TEST(stack_bytes, columns_in_lanes) { matrices<32>(); }
TEST(stack_bytes, matrices_in_lanes) { matrices<32, lane_width<float>>(); }

// Where the copy would not fit, none is taken: that nothing overlaps is a precondition then.
static_assert(stack_bytes<decltype(exp(std::declval<tensor<float, 1024, 1024>&>()))> < 16 * 1024);

}  // namespace
