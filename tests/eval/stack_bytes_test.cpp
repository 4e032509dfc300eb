// SPDX-License-Identifier: BSL-1.0
// stack_bytes against what calls really take: they run on a stack that was filled with a pattern.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/painted_stack.hpp"
#include "support/random.hpp"

namespace {

using namespace ashlar;

constexpr bool is_measured = test::has_usual_frames;

/// What the bound may exceed a call by: register files that this compiler did not spill.
constexpr std::size_t register_files =
    current_config::register_bits == 0 ? 1536 : 3 * current_config::registers * (current_config::register_bits / 8);
constexpr std::size_t slack = 2048 + register_files + 1024;

template <class Destination, class Expression>
void expect_within(Destination& y, const Expression& e, std::size_t overlap = 0) {
    if (!is_measured) GTEST_SKIP() << "only optimised builds are measured";
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
}

template <class Element, std::size_t Rows, std::size_t Depth, std::size_t Columns>
void products() {
    static tensor<Element, Rows, Depth> a{};
    static tensor<Element, Depth, Columns> b{};
    static tensor<Element, Columns, Depth> t{};
    static tensor<Element, Rows, Columns> y{};
    expect_within(y, matmul(a, b));
    expect_within(y, matmul(a, transpose(t)));
    expect_within(y, gelu(matmul(a, b)));
    expect_within(y, softmax(tanh(matmul(a, b))));
}

TEST(stack_bytes, products) {
    products<float, 1, 16, 16>();
    products<float, 17, 7, 5>();
    products<float, 64, 64, 64>();
    products<float, 100, 24, 49>();
    products<double, 33, 20, 47>();
}

/// Kernels pack a few last columns, and few rows, into tables, up to 8 KiB, and 16 KiB here: in the workspace, not on
/// the stack.
TEST(stack_bytes, tables_of_kernels) {
    static tensor<float, 64, 1900> a{};
    static tensor<float, 1900, 17> b{};
    static tensor<float, 64, 17> y{};
    expect_within(y, matmul(a, b));
    static tensor<float, 4, 1024> q{};
    static tensor<float, 60, 1024> k{};
    static tensor<float, 60, 8> v{};
    static tensor<float, 4, 8> z{};
    expect_within(z, attention(q, k, v));
    // Panels of 20 columns end inside a register, although the matrix does not.
    static tensor<float, 64, 500> s{};
    static packed<float, 500, 80, 20> w{};
    static tensor<float, 64, 80> u{};
    expect_within(u, matmul(s, w));
}

template <std::size_t Queries, std::size_t Width>
void attentions() {
    static tensor<float, Queries, Width> q{}, k{}, v{}, y{};
    expect_within(y, attention(q, k, v));
    expect_within(y, attention(q, k, v, causal));
}

TEST(stack_bytes, attention) {
    attentions<4, 8>();
    attentions<16, 16>();
    attentions<65, 64>();
}

TEST(stack_bytes, heads_with_masks_and_biases) {
    static tensor<float, 2, 4, 40, 24> q{}, k{}, v{}, y{};
    static tensor<float, 4, 40, 40> b{};
    expect_within(y, attention(q, k, v, causal, bias(b), softcap(20.f)));
    expect_within(y, attention(q, k, v, sliding_window<7, 0>));
    expect_within(y, attention(q, k, v, keys_below(17)));
}

/// Tiles of scores whose mask is tested pair by pair, next to a hyperbolic tangent: the largest number of spilled
/// registers.
TEST(stack_bytes, composed_masks) {
    static tensor<float, 35, 24> q{};
    static tensor<float, 71, 24> k{};
    static tensor<float, 71, 5> v{};
    static tensor<float, 35, 5> y{};
    expect_within(y, attention(q, k, v, softcap(2.f), causal_at(35) || sliding_window<20, -1>));
}

TEST(stack_bytes, rows) {
    static tensor<float, 100, 53> a{}, y{};
    expect_within(y, softmax(a));
    expect_within(y, softmax<0>(a));
    expect_within(y, layer_norm(a, 1e-5f));
    expect_within(y, a - logsumexp<1>(a, keep_dims));
    expect_within(y, exp(a) * 2.f + erf(a));
    expect_within(y, concat<0>(slice<0, 0, 50>(a), exp(slice<0, 50, 100>(a))));
}

TEST(stack_bytes, overlaps) {
    static tensor<float, 60, 60> a{};
    static tensor<float, 60, 60> b{};
    expect_within(a, matmul(transpose(a), b), sizeof a);
    expect_within(a, exp(transpose(a)), sizeof a);
    expect_within(a, softmax(a));
    expect_within(a, transpose(a), sizeof a);
}

// Where the copy would not fit, none is taken: that nothing overlaps is a precondition then.
static_assert(stack_bytes<decltype(exp(std::declval<tensor<float, 1024, 1024>&>()))> < 16 * 1024);

}  // namespace
