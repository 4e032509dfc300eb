// SPDX-License-Identifier: BSL-1.0
// workspace_bytes is what a call uses: the last line of a workspace is written, and nothing beyond it.
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;

/// A workspace of Bytes, between lines that nobody may write.
template <std::size_t Bytes>
struct guarded_workspace {
    static constexpr std::size_t line = 64;
    static constexpr int pattern = 0xa5;
    alignas(line) unsigned char before[4 * line];
    workspace<Bytes> scratch;
    unsigned char behind[64 * line];

    void fill() { std::memset(static_cast<void*>(this), pattern, sizeof *this); }
    static bool is_untouched(const void* first, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            if (static_cast<const unsigned char*>(first)[i] != pattern) return false;
        return true;
    }
    bool guards_hold() const { return is_untouched(before, sizeof before) && is_untouched(behind, sizeof behind); }
    /// Bytes up to the last one that was written.
    std::size_t used() const {
        const auto* bytes = reinterpret_cast<const unsigned char*>(scratch.bytes);
        std::size_t end = Bytes;
        while (end > 0 && bytes[end - 1] == pattern) --end;
        return end;
    }
};

template <class Destination, class Expression>
void expect_exact(Destination& y, const Expression& e) {
    constexpr std::size_t bytes = workspace_bytes<Expression>;
    if constexpr (bytes != 0) {
        static guarded_workspace<bytes> memory;
        memory.fill();
        evaluate(y, e, memory.scratch);
        EXPECT_TRUE(memory.guards_hold());
        EXPECT_GT(memory.used() + guarded_workspace<bytes>::line, bytes);
    }
}

using support::random_numbers;

template <std::size_t Queries, std::size_t Keys, std::size_t Width, class... Options>
void attend(const Options&... options) {
    auto q = random_numbers(1).normal<float, Queries, Width>(), y = q;
    auto k = random_numbers(2).normal<float, Keys, Width>(), v = random_numbers(3).normal<float, Keys, Width>();
    expect_exact(y, attention(q, k, v, options...));
}
TEST(exact_workspace, attention) {
    attend<17, 31, 16>(keys_below(31));
    attend<64, 64, 64>();
}
/// A few rows, packed, of a whole operand and of the last tile.
TEST(exact_workspace, tables_of_few_rows) {
    attend<4, 60, 1024>();
    attend<34, 60, 256>(causal);
}

template <class T, std::size_t Rows, std::size_t Depth, std::size_t Columns>
struct factors {
    tensor<T, Rows, Depth> a = random_numbers(1).normal<T, Rows, Depth>();
    tensor<T, Depth, Columns> b = random_numbers(2).normal<T, Depth, Columns>();
    tensor<T, Columns, Depth> t = random_numbers(3).normal<T, Columns, Depth>();
    tensor<T, Rows, Columns> y;
};

TEST(exact_workspace, products) {
    factors<float, 31, 33, 47> of;
    expect_exact(of.y, matmul(exp(of.a), of.b));
    expect_exact(of.y, matmul(of.a, exp(of.b)));
    expect_exact(of.y, layer_norm(gelu(matmul(of.a, of.b)), 1e-5f));
}

/// What kernels pack on the way is scratch like any other, and often all of it.
TEST(exact_workspace, tables_of_products) {
    constexpr std::size_t floats = lane_width<float>, doubles = lane_width<double>;
    static factors<float, 64, 500, floats + 1> narrow;
    expect_exact(narrow.y, matmul(narrow.a, narrow.b));
    expect_exact(narrow.y, matmul(softmax(narrow.a), narrow.b));
    static factors<float, 64, 500, 80> wide;
    static packed<float, 500, 80, 20> panels;
    pack(panels, wide.b);
    expect_exact(wide.y, matmul(wide.a, panels));
    expect_exact(wide.y, matmul(wide.a, transpose(wide.t)));
    static factors<float, 35, 61, 3 * floats + floats / 2> ragged;
    expect_exact(ragged.y, matmul(ragged.a, transpose(ragged.t)));
    expect_exact(ragged.y, softmax(matmul(ragged.a, ragged.b) + 1.0f));
    static factors<double, 40, 64, doubles + 1> of_doubles;
    expect_exact(of_doubles.y, matmul(of_doubles.a, of_doubles.b));
}

template <class T, std::size_t Queries, std::size_t Keys>
struct heads {
    tensor<T, 2, Queries, 24> q = random_numbers(1).normal<T, 2, Queries, 24>(), y = q;
    tensor<T, 2, Keys, 24> k = random_numbers(2).normal<T, 2, Keys, 24>(), v = k;
    tensor<T, 2, Queries, Keys> scores = random_numbers(4).normal<T, 2, Queries, Keys>(), weights = scores;

    void check(const auto&... masks) { (expect_exact(y, attention(q, k, v, masks)), ...); }
};

/// Scores and weights behind the last key that any query keeps have no scratch.
TEST(exact_workspace, keys_that_nobody_keeps) {
    constexpr auto first_keys = [](std::size_t i, std::size_t j) { return j < 33 && (i + j) % 3 != 0; };
    heads<float, 64, 100> of;
    of.check(causal, sliding_window<5, 2>, causal && keep_if<first_keys>);
    expect_exact(of.weights, attention_weights(of.q, of.k, causal));
    expect_exact(of.y, matmul(softmax(masked(of.scores, causal)), of.v));
    static_assert(workspace_bytes<decltype(attention(of.q, of.k, of.v, causal))> <
                  workspace_bytes<decltype(attention(of.q, of.k, of.v, causal_at<100>()))>);
    heads<double, 19, 70>().check(causal_at<-2>());
}

/// Lanes behind the last query keep keys for which there is no scratch.
TEST(exact_workspace, keys_of_idle_lanes) {
    heads<float, 26, 64>().check(causal_at<6>());
    heads<double, 30, 64>().check(sliding_window<9, 2>);
}

TEST(exact_workspace, rows) {
    auto x = random_numbers(1).normal<float, 33, 17>(), y = x;
    tensor<float, 33> sums;
    expect_exact(y, softmax(x));
    expect_exact(y, softmax<0>(x));
    expect_exact(y, layer_norm(x, 1e-5f));
    expect_exact(y, x / sum<0>(exp(x), keep_dims));
    expect_exact(sums, variance<1>(tanh(x)));
    expect_exact(y, let(exp(x), [](const auto& z) { return z / sum<1>(z, keep_dims) + z; }));
}

}  // namespace
