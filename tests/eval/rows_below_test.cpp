// SPDX-License-Identifier: BSL-1.0
// rows_below: the first rows of a result equal those of a whole evaluation, whatever the rows below them hold. Only the
// tiles of these rows are computed.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/random.hpp"

namespace {

using namespace ashlar;
using support::random_numbers;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// How often the function has been called.
std::size_t calls = 0;
inline constexpr auto counted = [](float x) {
    ++calls;
    return x;
};

template <std::size_t Bytes>
struct guarded_workspace {
    alignas(64) unsigned char before[256];
    workspace<Bytes> scratch;
    unsigned char behind[4096];

    guarded_workspace() { std::memset(static_cast<void*>(this), 0xff, sizeof *this); }
    bool guards_hold() const {
        for (const unsigned char c : before)
            if (c != 0xff) return false;
        for (const unsigned char c : behind)
            if (c != 0xff) return false;
        return true;
    }
};

/// A tensor between numbers that nobody may write.
template <class Tensor>
struct guarded_tensor {
    static constexpr float mark = -77;
    std::array<float, 512> before;
    Tensor values;
    std::array<float, 512> behind;

    guarded_tensor() {
        before.fill(mark);
        behind.fill(mark);
        for (auto& v : values) v = nan;
    }
    bool guards_hold() const {
        for (const float v : before)
            if (v != mark) return false;
        for (const float v : behind)
            if (v != mark) return false;
        return true;
    }
};

/// The first rows of y, count(entry) of each entry, against those of `whole`.
template <class Tensor, class Count>
void expect_rows(const Tensor& y, const Tensor& whole, const Count& count) {
    constexpr std::size_t columns = Tensor::extents[Tensor::rank() - 1], all = Tensor::extents[Tensor::rank() - 2];
    for (std::size_t b = 0; b < Tensor::size / columns / all; ++b)
        for (std::size_t i = 0; i < count(b) * columns; ++i) {
            const float expected = whole.data()[b * all * columns + i], given = y.data()[b * all * columns + i];
            ASSERT_NEAR(given, expected, 2e-6f * (1 + std::abs(expected))) << "entry " << b << ", element " << i;
        }
}

/// An evaluation of some rows. Other tests have scratch on the stack, or views as destinations.
template <class Tensor, class Expression, class Rows, class Count>
void expect_first_rows(const Tensor& whole, const Expression& e, const Rows& rows, const Count& count) {
    guarded_tensor<Tensor> y;
    guarded_workspace<workspace_bytes<Expression>> memory;
    evaluate(y.values, e, memory.scratch, rows);
    EXPECT_TRUE(y.guards_hold() && memory.guards_hold());
    expect_rows(y.values, whole, count);
}

/// Numbers of rows at which tiles of 32 and 16 begin and end.
template <std::size_t Rows>
void for_each_count(const auto& f) {
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 49u, 63u, 64u, 65u})
        if (n < Rows) f(n);
    f(Rows);
}

/// A tensor whose rows behind the first n are not numbers.
template <class Tensor>
Tensor without_rows(Tensor x, std::size_t n) {
    constexpr std::size_t columns = Tensor::extents[Tensor::rank() - 1], all = Tensor::extents[Tensor::rank() - 2];
    for (std::size_t b = 0; b < Tensor::size / columns / all; ++b)
        for (std::size_t i = n * columns; i < all * columns; ++i) x.data()[b * all * columns + i] = nan;
    return x;
}

/// f(x) of some rows is that of all rows, and needs no others of x.
template <std::size_t Rows>
void expect_own_rows(const auto& f) {
    const auto x = random_numbers(1).normal<float, Rows, 24>();
    const tensor<float, Rows, 24> whole = f(x, Rows);
    for_each_count<Rows>([&](std::size_t n) {
        const auto given = without_rows(x, n);
        expect_first_rows(whole, f(given, n), rows_below(n), [&](std::size_t) { return n; });
    });
}

const auto w = random_numbers(2).normal<float, 24, 24>(0, 0.2);
const auto wide = random_numbers(3).normal<float, 24, 40>(0, 0.2);
const auto narrow = random_numbers(4).normal<float, 40, 24>(0, 0.2);

template <std::size_t Rows>
void expressions() {
    SCOPED_TRACE(Rows);
    expect_own_rows<Rows>(
        [](const auto& x, std::size_t) { return x + matmul(relu(matmul(softmax(x), wide)), narrow); });
    expect_own_rows<Rows>([](const auto& x, std::size_t) {
        return let(matmul(x, w), [](const auto& h) { return h + softmax(matmul(h, w)); });
    });
}
TEST(rows_below, rows_of_their_own) {
    expressions<7>();
    // Whose last tile begins early, or has fewer rows.
    expressions<49>();
    expressions<70>();
    expect_own_rows<49>([](const auto& x, std::size_t) { return gelu(x) + 1.0f; });
    expect_own_rows<70>([](const auto& x, std::size_t) { return matmul(x, w); });
}

TEST(rows_below, attention) {
    constexpr std::size_t rows = 49;
    const auto project = [](const auto& x) { return matmul(x, w); };
    const auto x = random_numbers(5).normal<float, rows, 24>();
    for_each_count<rows>([&](std::size_t n) {
        // Keys and values of rows that a mask does not keep may be anything.
        const tensor<float, rows, 24> below = attention(project(x), project(x), project(x), keys_below(n));
        const auto given = without_rows(x, n);
        const auto first = [&](std::size_t) { return n; };
        expect_first_rows(below, attention(project(given), project(given), project(given), keys_below(n)),
                          rows_below(n), first);
        expect_first_rows(below, attention(given * 1.0f, project(given), given, keys_below(n)), rows_below(n),
                          [](std::size_t) { return 0u; });
        const tensor<float, rows, 24> before = attention(project(x), project(x), project(x), causal);
        expect_first_rows(before, attention(project(given), project(given), project(given), causal), rows_below(n),
                          first);
        // More of them than rows, and all of them.
        const std::size_t more = n + 9 < rows ? n + 9 : rows;
        const tensor<float, rows, 24> longer = attention(project(x), project(x), project(x), keys_below(more));
        const auto some = without_rows(x, more);
        expect_first_rows(longer, attention(project(some), project(some), project(some), keys_below(more)),
                          rows_below(n), first);
        const tensor<float, rows, 24> all = attention(project(x), project(x), project(x));
        expect_first_rows(all, attention(project(x), project(x), project(x)), rows_below(n), first);
    });
}

TEST(rows_below, ragged_batches) {
    const auto x = random_numbers(6).normal<float, 4, 2, 40, 24>();
    tensor<int, 4> lengths{17, 0, 40, 5};
    auto given = x;
    for (std::size_t b = 0; b < 4; ++b)
        for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t i = static_cast<std::size_t>(lengths(b)); i < 40; ++i)
                for (std::size_t c = 0; c < 24; ++c) given(b, h, i, c) = nan;
    const auto project = [](const auto& e) { return matmul(e, w); };
    const tensor<float, 4, 2, 40, 24> whole = attention(project(x), project(x), project(x), keys_below(lengths));
    const auto count = [&](std::size_t entry) { return static_cast<std::size_t>(lengths(entry / 2)); };
    const auto e = attention(project(given), project(given), project(given), keys_below(lengths));
    expect_first_rows(whole, e, rows_below(lengths), count);
    expect_first_rows(whole, e, rows_below(tensor<short, 4, 1>{{17}, {0}, {40}, {5}}), count);
    // As few as the shortest are computed of each.
    expect_first_rows(whole, e, rows_below(5), [&](std::size_t entry) { return entry / 2 == 1 ? 0u : 5u; });
    const tensor<int, 2> last{3, 33};  // counts of the last batch axis: heads
    const tensor<float, 4, 2, 40, 24> mapped = gelu(matmul(x, w));
    expect_first_rows(mapped, gelu(matmul(x, w)), rows_below(last),
                      [&](std::size_t entry) { return static_cast<std::size_t>(last(entry % 2)); });
}

// Time is that of what is computed: elements of whole tiles, which are 32 rows or 16.
TEST(rows_below, rows_that_are_computed) {
    const auto x = random_numbers(7).normal<float, 96, 8>();
    tensor<float, 96, 8> y;
    for (const auto& [rows, computed] :
         {std::array{0u, 0u}, {1u, 16u}, {16u, 16u}, {17u, 32u}, {32u, 32u}, {40u, 48u}, {52u, 64u}, {96u, 96u}}) {
        calls = 0;
        evaluate(y, softmax(map(counted, x)), rows_below(rows));
        const std::size_t each = calls / (computed == 0 ? 1 : computed * 8);
        EXPECT_EQ(calls, each * computed * 8) << rows;
        calls = 0;
        evaluate(y, map(counted, x), rows_below(rows));
        EXPECT_EQ(calls, (rows + 7) / 8 * 8 * 8) << rows << ": tiles of 16 rows, and 8, where nothing waits in scratch";
    }
}
// Of a product no more register blocks than have such rows: none has as many as a tile.
TEST(rows_below, register_blocks_that_are_computed) {
    const auto left = random_numbers(15).normal<float, 96, 40>();
    const auto right = random_numbers(16).normal<float, 40, 64>();
    const packed<float, 40, 64> panels = pack(right);
    tensor<float, 96, 64> y;
    const auto check = [&](const auto& product) {
        const tensor<float, 96, 64> whole = product;
        for (const std::size_t rows : {0u, 1u, 15u, 16u, 17u, 33u, 39u, 48u, 70u, 90u, 96u}) {
            calls = 0;
            evaluate(y, map(counted, product), rows_below(rows));
            EXPECT_GE(calls, rows * 64);
            EXPECT_LT(calls, (rows + 12) * 64) << rows;
            expect_rows(y, whole, [&](std::size_t) { return rows; });
            // Tall tiles: the product waits for what follows.
            calls = 0;
            evaluate(y, softmax(map(counted, product)), rows_below(rows));
            EXPECT_GE(calls, rows * 64);
            EXPECT_LT(calls, (rows + 12) * 64) << rows;
        }
    };
    check(matmul(left, right));
    check(matmul(left, panels));
    const auto bytes = quantize(right);
    check(matmul(left, bytes));
}
TEST(rows_below, keys_that_are_computed) {
    const auto x = random_numbers(8).normal<float, 3, 96, 8>();
    const auto v = random_numbers(9).normal<float, 8, 8>();
    tensor<float, 3, 96, 8> y;
    const auto computed = [&](const auto& mask, const auto& rows) {
        calls = 0;
        evaluate(y, attention(x, matmul(map(counted, x), v), x, mask), rows);
        return calls / 8;
    };
    EXPECT_EQ(computed(keys_below(16), rows_below(96)), 3 * 16u);
    EXPECT_EQ(computed(keys_below(33), rows_below(1)), 3 * 48u);
    EXPECT_EQ(computed(causal, rows_below(17)), 3 * 32u);
    EXPECT_EQ(computed(causal && keys_below(5), rows_below(96)), 3 * 16u);
    const tensor<int, 3> lengths{0, 20, 60};
    EXPECT_EQ(computed(keys_below(lengths), rows_below(lengths)), 0 + 32 + 64u);
    EXPECT_EQ(computed(keys_below(lengths), rows_below(3)), 0 + 32 + 64u);
    const tensor<int, 3> offsets{-100, 0, 30};
    EXPECT_EQ(computed(causal_at(offsets), rows_below(17)), 0 + 32 + 48u);
    EXPECT_EQ(computed(!keys_below(lengths), rows_below(3)), 3 * 96u) << "a mask that does not say where it ends";
}

TEST(rows_below, destinations_that_are_read) {
    for (const std::size_t n : {0u, 5u, 16u, 33u, 49u}) {
        const auto x = random_numbers(10).normal<float, 49, 24>();
        const auto first = [&](std::size_t) { return n; };
        const auto check = [&](const auto& f) {
            const tensor<float, 49, 24> whole = f(x);
            guarded_tensor<tensor<float, 49, 24>> y;
            y.values = x;
            evaluate(y.values, f(y.values), rows_below(n));
            EXPECT_TRUE(y.guards_hold());
            expect_rows(y.values, whole, first);
        };
        check([](const auto& e) { return gelu(e); });
        check([](const auto& e) { return e + matmul(softmax(matmul(e, w)), w); });
        check([](const auto& e) { return attention(e, e, e, causal); });
    }
}
TEST(rows_below, strided_destinations) {
    const auto x = random_numbers(11).normal<float, 40, 24>();
    const tensor<float, 40, 24> whole = softmax(matmul(x, w));
    tensor<float, 24, 40> columns{};
    evaluate(transpose(columns), softmax(matmul(x, w)), rows_below(7));
    expect_rows(tensor<float, 40, 24>(transpose(columns)), whole, [](std::size_t) { return 7u; });
    tensor<float, 40, 48> rows = full<float, 40, 48>(3);
    workspace<workspace_bytes_into<decltype(slice<1, 24, 48>(rows)), decltype(softmax(matmul(x, w)))>> scratch;
    evaluate(slice<1, 24, 48>(rows), softmax(matmul(x, w)), scratch, rows_below(33));
    expect_rows(tensor<float, 40, 24>(slice<1, 24, 48>(rows)), whole, [](std::size_t) { return 33u; });
    EXPECT_TRUE(all(slice<1, 0, 24>(rows) == 3.0f));
}
// A store stops with the result.
TEST(rows_below, stores) {
    const auto x = random_numbers(12).normal<float, 64, 24>();
    tensor<float, 64, 64> weights = full<float, 64, 64>(-1), expected;
    tensor<float, 64, 24> y;
    const auto p = softmax(masked(matmul(x, transpose(x)), causal));
    expected = p;
    evaluate(y, matmul(store(weights, p), x), rows_below(20));
    expect_rows(weights, expected, [](std::size_t) { return 20u; });
    EXPECT_TRUE(all(slice<0, 32, 64>(weights) == -1.0f));
}
// Axes whose entries each row of the result needs: all of them are computed.
TEST(rows_below, rows_that_need_all) {
    const auto x = random_numbers(13).normal<float, 40, 24>();
    const auto check = [&](const auto& e) {
        const auto whole = eval(e);
        for (const std::size_t n : {0u, 1u, 17u, 24u})
            expect_first_rows(whole, e, rows_below(n), [&](std::size_t) { return n; });
    };
    check(softmax<0>(matmul(x, w)));
    check(transpose(matmul(x, w)) * 2.0f);
    check(concat<0>(matmul(x, w), gelu(x)));
    check(flip<0>(matmul(x, w)));
    check(matmul(transpose(gelu(x)), matmul(x, w)));
    check(matmul(x, w) - mean<0>(x));
}

TEST(rows_below, constants) {
    static constexpr auto y = [] {
        const tensor<float, 3, 2> x{{1, 2}, {3, 4}, {5, 6}};
        tensor<float, 3, 2> out{};
        evaluate(out, x * 2.0f, rows_below(2));
        return out;
    }();
    static_assert(y(0, 0) == 2 && y(1, 1) == 8);
}
TEST(rows_below, tensors) {
    const auto x = random_numbers(14).normal<float, 9, 2>();
    expect_first_rows(x, view_of(x), rows_below(4), [](std::size_t) { return 4u; });
}
#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(rows_below_death, more_rows_than_there_are) {
    const tensor<float, 3, 9, 2> x{};
    tensor<float, 3, 9, 2> y;
    EXPECT_DEATH(evaluate(y, x + x, rows_below(10)), "more rows than the result has");
    const tensor<int, 3> lengths{9, 10, 1};
    EXPECT_DEATH(evaluate(y, x + x, rows_below(lengths)), "more rows than the result has");
}
#endif

}  // namespace
