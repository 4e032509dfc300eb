// SPDX-License-Identifier: BSL-1.0
// rows_below: the first rows of a result equal those of a whole evaluation, whatever the rows below them hold. Only the
// tiles of these rows are computed.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <tests/support/differential.hpp>

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

/// A tensor of NaN, or a workspace of such bytes, between bytes that nobody may write.
template <class T>
struct guarded {
    alignas(64) unsigned char before[2048];
    T values;
    alignas(64) unsigned char behind[4096];

    guarded() { std::memset(static_cast<void*>(this), 0xff, sizeof *this); }
    bool guards_hold() const {
        return std::count(before, before + 2048, 0xff) == 2048 && std::count(behind, behind + 4096, 0xff) == 4096;
    }
};

using row_counts = std::vector<std::size_t>;

/// The first rows of y, so many of each entry, against those of `whole`.
[[gnu::noinline]] void expect_rows(const float* y, const float* whole, std::size_t rows, std::size_t columns,
                                   const row_counts& counts) {
    for (std::size_t b = 0; b < counts.size(); ++b)
        for (std::size_t i = b * rows * columns; i < (b * rows + counts[b]) * columns; ++i)
            ASSERT_NEAR(y[i], whole[i], 2e-6f * (1 + std::abs(whole[i]))) << "entry " << b << ", element " << i;
}
template <class Tensor>
void expect_rows(const Tensor& y, const Tensor& whole, const row_counts& counts) {
    constexpr std::size_t rank = Tensor::rank();
    expect_rows(y.data(), whole.data(), Tensor::extents[rank - 2], Tensor::extents[rank - 1], counts);
}

/// An evaluation of some rows. Other tests have scratch on the stack, or views as destinations.
template <class Expression, class Rows>
auto first_rows(const Expression& e, const Rows& rows) {
    guarded<detail::value_tensor<Expression>> y;
    guarded<workspace<workspace_bytes<Expression>>> memory;
    evaluate(y.values, e, memory.values, rows);
    EXPECT_TRUE(y.guards_hold() && memory.guards_hold());
    return y.values;
}
/// An evaluation of all rows, by the same plan.
template <class Expression, class Rows>
auto all_rows(const Expression& e, const Rows& rows) {
    const auto y = first_rows(e, rows);
    const detail::value_tensor<Expression> expected = detail::constant_evaluate(e);
    reference::expect_near(y, reference::of(expected), 1e-5, 1e-3);
    return y;
}

/// Numbers of rows at which tiles of 32 and 16 begin and end.
template <std::size_t Rows>
void for_each_count(const auto& f) {
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 49u, 63u, 64u, 65u})
        if (n < Rows) f(n);
    f(Rows);
}

/// A matrix whose rows behind the first n are not numbers.
template <class Matrix>
Matrix without_rows(Matrix x, std::size_t n) {
    std::fill(x.data() + n * Matrix::extents[1], x.data() + Matrix::size, nan);
    return x;
}

/// f(x) of some rows is that of all rows, and needs no others of x.
template <std::size_t Rows>
void expect_own_rows(const auto& f) {
    SCOPED_TRACE(Rows);
    const auto x = random_numbers(1).normal<float, Rows, 24>();
    const auto whole = all_rows(f(x), rows_below(Rows));
    for_each_count<Rows>([&](std::size_t n) {
        const auto given = without_rows(x, n);
        expect_rows(first_rows(f(given), rows_below(n)), whole, {n});
    });
}

const auto w = random_numbers(2).normal<float, 24, 24>(0, 0.2);
const auto wide = random_numbers(3).normal<float, 24, 40>(0, 0.2);
const auto narrow = random_numbers(4).normal<float, 40, 24>(0, 0.2);

TEST(rows_below, rows_of_their_own) {
    const auto block = [](const auto& x) {
        return let(matmul(x, w), [](const auto& h) { return h + matmul(relu(matmul(softmax(h), wide)), narrow); });
    };
    // Whose last tile begins early, or has fewer rows.
    expect_own_rows<49>(block);
    expect_own_rows<70>(block);
    expect_own_rows<49>([](const auto& x) { return gelu(x) + 1.0f; });
    expect_own_rows<7>([](const auto& x) { return softmax(matmul(x, w)); });
    expect_own_rows<70>([](const auto& x) { return matmul(x, w); });
}

/// attend(x, m) and m rows of x, where m is given(n).
void expect_first_rows(const auto& attend, const auto& given) {
    const auto x = random_numbers(5).normal<float, 49, 24>();
    for_each_count<49>([&](std::size_t n) {
        const auto some = without_rows(x, given(n));
        expect_rows(first_rows(attend(some, given(n)), rows_below(n)), all_rows(attend(x, given(n)), rows_below(49)),
                    {n});
    });
}
TEST(rows_below, attention) {
    const auto same = [](std::size_t n) { return n; };
    const auto below = [](const auto& x, std::size_t n) {
        return attention(matmul(x, w), matmul(x, w), matmul(x, w), keys_below(n));
    };
    expect_first_rows(below, same);
    expect_first_rows(below, [](std::size_t n) { return n + 9 < 49 ? n + 9 : 49; });
    expect_first_rows([](const auto& x, auto) { return attention(x, matmul(x, w), x, causal); }, same);
    expect_first_rows([](const auto& x, auto) { return attention(x, x, matmul(x, w)); },
                      [](std::size_t) { return 49u; });
}

TEST(rows_below, ragged_batches) {
    using batch = tensor<float, 4, 2, 64, 24>;
    const batch x = random_numbers(6).normal<float, 4, 2, 64, 24>();
    const tensor<int, 4> lengths{17, 0, 64, 37};
    batch given = x;
    for (std::size_t b = 0; b < 8; ++b)
        std::fill(given.data() + (b * 64 + static_cast<std::size_t>(lengths(b / 2))) * 24,
                  given.data() + (b + 1) * 64 * 24, nan);
    const auto attend = [&](const batch& e) { return attention(e, matmul(e, w), e, keys_below(lengths)); };
    const batch whole = all_rows(attend(x), rows_below(tensor<int, 4>{64, 64, 64, 64}));
    expect_rows(first_rows(attend(given), rows_below(lengths)), whole, {17, 17, 0, 0, 64, 64, 37, 37});
    // As few as the shortest are computed of each.
    expect_rows(first_rows(attend(given), rows_below(5)), whole, {5, 5, 0, 0, 5, 5, 5, 5});
    const auto map = [](const batch& e) { return gelu(matmul(e, w)); };
    const tensor<short, 4, 1> of_entries{{17}, {0}, {64}, {37}};
    const batch mapped = all_rows(map(x), rows_below(tensor<short, 4, 1>{{64}, {64}, {64}, {64}}));
    expect_rows(first_rows(map(given), rows_below(of_entries)), mapped, {17, 17, 0, 0, 64, 64, 37, 37});
    const tensor<int, 2> last{3, 33};  // counts of the last batch axis: heads
    expect_rows(first_rows(map(x), rows_below(last)), mapped, {3, 33, 3, 33, 3, 33, 3, 33});
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
    const auto panels = pack(right);
    const auto bytes = quantize(right);
    tensor<float, 96, 64> y;
    const auto check = [&](const auto& e) {
        const auto whole = all_rows(e, rows_below(96));
        for (const std::size_t rows : {0u, 1u, 15u, 16u, 17u, 33u, 39u, 48u, 70u, 90u, 96u}) {
            calls = 0;
            evaluate(y, e, rows_below(rows));
            EXPECT_GE(calls, rows * 64);
            EXPECT_LT(calls, (rows + 12) * 64) << rows;
            expect_rows(y, whole, {rows});
        }
    };
    check(map(counted, matmul(left, right)));
    check(map(counted, matmul(left, panels)));
    check(map(counted, matmul(left, bytes)));
    // Tall tiles: the product waits for what follows.
    check(softmax(map(counted, matmul(left, panels))));
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
    const tensor<int, 3> lengths{0, 20, 60};
    EXPECT_EQ(computed(keys_below(lengths), rows_below(lengths)), 0 + 32 + 64u);
    const tensor<int, 3> offsets{-100, 0, 30};
    EXPECT_EQ(computed(causal_at(offsets) && keys_below(96), rows_below(17)), 0 + 32 + 48u);
    EXPECT_EQ(computed(causal_at(offsets) && keys_below(5), rows_below(96)), 0 + 16 + 16u);
    EXPECT_EQ(computed(!keys_below(lengths), rows_below(3)), 3 * 96u) << "a mask that does not say where it ends";
}

TEST(rows_below, destinations_that_are_read) {
    const auto x = random_numbers(10).normal<float, 49, 24>();
    const auto check = [&](const auto& f) {
        tensor<float, 49, 24> whole;
        evaluate(whole, f(x), rows_below(49));
        const tensor<float, 49, 24> expected = detail::constant_evaluate(f(x));
        reference::expect_near(whole, reference::of(expected), 1e-5, 1e-3);
        for (const std::size_t n : {0u, 5u, 16u, 33u, 49u}) {
            guarded<tensor<float, 49, 24>> y;
            y.values = x;
            evaluate(y.values, f(std::as_const(y.values)), rows_below(n));
            EXPECT_TRUE(y.guards_hold());
            expect_rows(y.values, whole, {n});
        }
    };
    check([](const auto& e) { return gelu(e); });
    check([](const auto& e) { return e + matmul(softmax(matmul(e, w)), w); });
    check([](const auto& e) { return attention(e, e, e, causal); });
}
TEST(rows_below, strided_destinations) {
    const auto x = random_numbers(11).normal<float, 40, 24>();
    const auto e = softmax(matmul(x, w));
    const tensor<float, 40, 24> whole = detail::constant_evaluate(e);
    tensor<float, 24, 40> columns{};
    evaluate(transpose(columns), e, rows_below(7));
    expect_rows(tensor<float, 40, 24>(transpose(columns)), whole, {7});
    tensor<float, 40, 48> rows = full<float, 40, 48>(3);
    workspace<workspace_bytes_into<decltype(slice<1, 24, 48>(rows)), std::remove_const_t<decltype(e)>>> scratch;
    evaluate(slice<1, 24, 48>(rows), e, scratch, rows_below(33));
    expect_rows(tensor<float, 40, 24>(slice<1, 24, 48>(rows)), whole, {33});
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 0; j < 24; ++j) EXPECT_EQ(rows(i, j), 3.0f);
}
// A store stops with the result.
TEST(rows_below, stores) {
    const auto x = random_numbers(12).normal<float, 64, 24>();
    tensor<float, 64, 64> weights = full<float, 64, 64>(-1);
    tensor<float, 64, 24> y;
    const auto p = softmax(masked(matmul(x, transpose(x)), causal));
    evaluate(y, matmul(store(weights, p), x), rows_below(20));
    expect_rows(weights, detail::constant_evaluate(p), {20});
    for (std::size_t i = 32; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j) EXPECT_EQ(weights(i, j), -1.0f);
}
// Axes whose entries each row of the result needs: all of them are computed.
TEST(rows_below, rows_that_need_all) {
    const auto x = random_numbers(13).normal<float, 40, 24>();
    const auto check = [&](const auto& e) {
        constexpr std::size_t rows = std::remove_cvref_t<decltype(e)>::extents[0];
        const auto whole = all_rows(e, rows_below(rows));
        for (const std::size_t n : {0u, 1u, 17u, 24u}) expect_rows(first_rows(e, rows_below(n)), whole, {n});
    };
    check(softmax<0>(matmul(x, w)));
    check(transpose(matmul(x, w)) * 2.0f);
    check(flip<0>(concat<0>(matmul(x, w), gelu(x))));
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
    expect_rows(first_rows(view_of(x), rows_below(4)), x, {4});
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
