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

template <std::size_t Queries, std::size_t Keys, std::size_t Width>
void attentions() {
    auto q = support::random_numbers(1).normal<float, Queries, Width>(), y = q;
    auto k = support::random_numbers(2).normal<float, Keys, Width>(),
         v = support::random_numbers(3).normal<float, Keys, Width>();
    expect_exact(y, attention(q, k, v));
    expect_exact(y, attention(q, k, v, causal));
    expect_exact(y, attention(q, k, v, keys_below(Keys)));
}

TEST(exact_workspace, attention) {
    attentions<17, 31, 16>();
    attentions<64, 64, 64>();
}

template <std::size_t Rows, std::size_t Depth, std::size_t Columns>
void products() {
    auto a = support::random_numbers(1).normal<float, Rows, Depth>();
    auto b = support::random_numbers(2).normal<float, Depth, Columns>();
    auto t = support::random_numbers(3).normal<float, Columns, Depth>();
    tensor<float, Rows, Columns> y;
    expect_exact(y, matmul(a, transpose(t)));
    expect_exact(y, matmul(exp(a), b));
    expect_exact(y, matmul(softmax(a), b));
    expect_exact(y, softmax(matmul(a, b)));
    expect_exact(y, matmul(a, exp(b)));
    expect_exact(y, layer_norm(gelu(matmul(a, b)), 1e-5f));
}

TEST(exact_workspace, products) { products<31, 33, 47>(); }

/// What kernels pack on the way is scratch like any other, and often all of it.
template <class T, std::size_t Rows, std::size_t Depth, std::size_t Columns>
void tables() {
    auto a = support::random_numbers(1).normal<T, Rows, Depth>();
    auto b = support::random_numbers(2).normal<T, Depth, Columns>();
    auto t = support::random_numbers(3).normal<T, Columns, Depth>();
    tensor<T, Rows, Columns> y;
    expect_exact(y, matmul(a, b));
    expect_exact(y, matmul(a, transpose(t)));
    expect_exact(y, softmax(matmul(a, b) + T(1)));
    expect_exact(y, matmul(softmax(a), b));
    static packed<T, Depth, Columns, 20> panels;
    pack(panels, b);
    expect_exact(y, matmul(a, panels));
}

TEST(exact_workspace, tables_of_products) {
    constexpr std::size_t floats = lane_width<float>, doubles = lane_width<double>;
    tables<float, 64, 500, floats + 1>();
    tables<float, 64, 500, 80>();
    tables<float, 35, 61, 3 * floats + floats / 2>();
    tables<double, 40, 64, doubles + 1>();
}

/// A few rows, packed, of a whole operand and of the last tile.
template <std::size_t Queries, std::size_t Keys, std::size_t Width>
void few_rows() {
    auto q = support::random_numbers(1).normal<float, Queries, Width>(), y = q;
    auto k = support::random_numbers(2).normal<float, Keys, Width>(),
         v = support::random_numbers(3).normal<float, Keys, Width>();
    expect_exact(y, attention(q, k, v));
    expect_exact(y, attention(q, k, v, causal));
}

TEST(exact_workspace, tables_of_few_rows) {
    few_rows<4, 60, 1024>();
    few_rows<34, 60, 256>();
}

/// Scores and weights behind the last key that any query keeps have no scratch.
template <class T, std::size_t Queries, std::size_t Keys>
void keys_that_nobody_keeps() {
    constexpr auto first_keys = [](std::size_t i, std::size_t j) { return j < Keys / 3 && (i + j) % 3 != 0; };
    auto q = support::random_numbers(1).normal<T, 2, Queries, 24>(), y = q;
    auto k = support::random_numbers(2).normal<T, 2, Keys, 24>(),
         v = support::random_numbers(3).normal<T, 2, Keys, 24>();
    expect_exact(y, attention(q, k, v, causal));
    expect_exact(y, attention(q, k, v, causal_at<-2>()));
    expect_exact(y, attention(q, k, v, sliding_window<5, 2>));
    expect_exact(y, attention(q, k, v, causal && keep_if<first_keys>));
    tensor<T, 2, Queries, Keys> weights;
    expect_exact(weights, attention_weights(q, k, causal));
    auto scores = support::random_numbers(4).normal<T, 2, Queries, Keys>();
    expect_exact(y, matmul(softmax(masked(scores, causal)), v));
    static_assert(Queries != 64 || workspace_bytes<decltype(attention(q, k, v, causal))> <
                                       workspace_bytes<decltype(attention(q, k, v, causal_at<Keys>()))>);
}

TEST(exact_workspace, keys_that_nobody_keeps) {
    keys_that_nobody_keeps<float, 64, 100>();
    keys_that_nobody_keeps<double, 19, 70>();
}

/// Lanes behind the last query keep keys for which there is no scratch.
template <class T, std::size_t Queries, std::size_t Keys, std::ptrdiff_t Offset>
void keys_of_idle_lanes() {
    const auto q = support::random_numbers(1).normal<T, Queries, 24>();
    const auto k = support::random_numbers(2).normal<T, Keys, 24>(),
               v = support::random_numbers(3).normal<T, Keys, 24>();
    auto y = q;
    expect_exact(y, attention(q, k, v, causal_at<Offset>()));
    expect_exact(y, attention(q, k, v, sliding_window<9, Offset>));
}

TEST(exact_workspace, keys_of_idle_lanes) {
    keys_of_idle_lanes<float, 26, 64, 6>();
    keys_of_idle_lanes<double, 30, 64, 2>();
}

TEST(exact_workspace, rows) {
    auto x = support::random_numbers(1).normal<float, 33, 17>(), y = x;
    tensor<float, 33> sums;
    expect_exact(y, softmax(x));
    expect_exact(y, softmax<0>(x));
    expect_exact(y, log_softmax(x));
    expect_exact(y, layer_norm(x, 1e-5f));
    expect_exact(y, x - mean<1>(x, keep_dims));
    expect_exact(y, x / sum<0>(exp(x), keep_dims));
    expect_exact(sums, variance<1>(tanh(x)));
    expect_exact(y, let(exp(x), [](const auto& z) { return z / sum<1>(z, keep_dims) + z; }));
}

}  // namespace
