// SPDX-License-Identifier: BSL-1.0
// Functions of small matrices as expressions: their shapes, plans and constants, batches, layouts, overlaps, and what
// has no solution.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <gtest/gtest.h>
#include <tests/support/linear_equations.hpp>

#include <ashlar/linalg.hpp>

namespace {

using namespace ashlar;
using support::matrix;

inline constexpr axis<"state", 4> state;
inline constexpr axis<"equation", 4> equation;
inline constexpr axis<"body", 5> body;
constexpr std::size_t width = lane_width<float>;

// ------------------------------------------------------------------ types, constants and plans

using system_of = tensor<float, body, equation, state>;
static_assert(std::is_same_v<decltype(inverse(system_of{}))::shape_type, shape<body, state, equation>>);
static_assert(std::is_same_v<decltype(det(system_of{}))::shape_type, shape<body>>);
static_assert(std::is_same_v<decltype(cholesky(system_of{}))::shape_type, shape<body, equation, state>>);
static_assert(std::is_same_v<decltype(solve(system_of{}, tensor<float, equation, 2>{}))::shape_type,
                             tensor<float, body, state, 2>::shape_type>);
static_assert(std::is_same_v<decltype(solve(tensor<float, equation, state>{}, tensor<float, equation>{}))::shape_type,
                             shape<state>>);
static_assert(std::is_same_v<decltype(is_positive_definite(system_of{}))::value_type, bool>);
static_assert(std::is_same_v<decltype(inverse(tensor<f16, 2, 2>{}))::value_type, float>);

constexpr tensor<double, 3, 3> three{{2, 1, 0}, {4, 1, 3}, {0, 5, 1}};
constexpr tensor<double, 3, 3> spd{{4, 2, 0}, {2, 5, 2}, {0, 2, 5}};
static_assert(eval(det(three))() == 2 * (1 - 15) - (4 - 0));
static_assert(cholesky(spd).shape_type::rank == 2);
constexpr tensor<double, 3, 3> root = cholesky(spd);
static_assert(root(0, 0) == 2 && root(1, 0) == 1 && root(1, 1) == 2 && root(2, 1) == 1 && root(2, 2) == 2 &&
              root(0, 1) == 0);
constexpr tensor<double, 3> solution = solve(three, tensor<double, 3>{3, 8, 6});
static_assert(solution(0) == 1 && solution(1) == 1 && solution(2) == 1);
static_assert(eval(is_positive_definite(spd))() && !eval(is_positive_definite(three - transpose(three)))());
constexpr tensor<double, 3> none = solve_spd(three - 3.0 * identity<double, 3>(), tensor<double, 3>{1, 1, 1});
static_assert(none(0) != none(0) && none(2) != none(2));
constexpr auto factored = lu(three);
static_assert(factored.rows(0) == 1 && factored.rows(1) == 2 && factored.rows(2) == 0 && factored.factors(0, 0) == 4 &&
              factored.factors(1, 0) == 0 && factored.factors(2, 0) == 0.5);

// LU of three rows: 3 + 8 + 2 operations on the matrix and 3 reciprocals; 2 * 3 * 2 + 3 on the side.
static_assert(flops<decltype(solve(three, tensor<double, 3>{}))> == 3 + (1 + 2) + (2 + 8) + 2 * 6 + 3);
static_assert(flops<decltype(det(three))> == 14);
static_assert(flops<decltype(solve_lower(three, tensor<double, 3>{}))> == 3 + 6 + 3);

TEST(linalg, plans_say_what_runs_and_count_scratch) {
    tensor<float, 64, 6, 6> a{};
    tensor<float, 64, 6, 1> b{};
    // Read one by one by the product, but computed side by side.
    const auto e = matmul(inverse(a + a), b);
    const auto explained = explain(e);
    const std::string_view text = explained.c_str();
    EXPECT_NE(text.find("matrix    t"), text.npos) << text;
    EXPECT_NE(text.find("= inverse(t"), text.npos) << text;
    if (width > 1) {
        EXPECT_NE(text.find("lanes: matrices"), text.npos) << text;
        EXPECT_GE(workspace_bytes<decltype(e)>, sizeof a + 2 * 36 * width * sizeof(float));
    }
    EXPECT_LE(workspace_bytes<decltype(e)>, 2 * sizeof a + 2 * 36 * width * sizeof(float));
    EXPECT_EQ((workspace_bytes<decltype(solve_spd(tensor<float, 3, 3>{}, tensor<float, 3>{}))>), 0u);
    // A large batch is computed where it is read.
    using large = decltype(matmul(inverse(tensor<float, 4096, 6, 6>{}), tensor<float, 4096, 6, 1>{}));
    EXPECT_LE(workspace_bytes<large>, 4096u);
}

// ------------------------------------------------------------------ values

template <class Array>
[[gnu::noinline]] void fill(Array& a, std::uint32_t seed) {
    support::random_numbers(seed).fill_uniform(a);
}
template <class T, class Array>
matrix<T> entry(const Array& a, std::size_t n, std::size_t rows, std::size_t columns) {
    return {rows, columns, a.data() + n * rows * columns};
}

/// Every function of a batch of matrices.
template <class T, std::size_t Batch, std::size_t N>
void check_batch() {
    SCOPED_TRACE(testing::Message() << Batch << " of " << N);
    static tensor<T, Batch, N, N> a, s;
    static tensor<T, Batch, N, 2> b;
    fill(a, 7 * N + Batch);
    fill(b, 3);
    for (std::size_t n = 0; n < Batch; ++n) {
        const matrix<T> positive = support::positive_definite_matrix<T>(N, static_cast<std::uint32_t>(n));
        std::copy(positive.of.begin(), positive.of.end(), s.data() + n * N * N);
    }
    static tensor<T, Batch, N, N> inverted, l;
    static tensor<T, Batch, N, 2> x, y;
    inverted = inverse(a);
    x = solve(a, b);
    y = solve_spd(s, b);
    l = cholesky(s);
    const tensor<T, Batch> d = det(s);
    matrix<T> one(N, N);
    for (std::size_t i = 0; i < N; ++i) one(i, i) = 1;
    for (std::size_t n = 0; n < Batch; ++n) {
        const auto of_a = entry<T>(a, n, N, N), of_s = entry<T>(s, n, N, N), of_b = entry<T>(b, n, N, 2);
        support::expect_solution(of_a, entry<T>(inverted, n, N, N), one);
        support::expect_solution(of_a, entry<T>(x, n, N, 2), of_b);
        support::expect_solution(of_s, entry<T>(y, n, N, 2), of_b);
        matrix<T> upper(N, N);
        T product(1);
        for (std::size_t i = 0; i < N; ++i) {
            product *= l(n, i, i) * l(n, i, i);
            for (std::size_t j = 0; j < N; ++j) {
                upper(j, i) = l(n, i, j);
                if (j > i) {
                    EXPECT_EQ(l(n, i, j), T(0));
                }
            }
        }
        support::expect_product(entry<T>(l, n, N, N), upper, of_s);
        EXPECT_NEAR(d(n) / product, 1, 200 * static_cast<T>(N) * std::numeric_limits<T>::epsilon());
    }
}

TEST(linalg, batches_around_a_register) {
    check_batch<float, 1, 3>();
    check_batch<float, width + 1, 3>();
    check_batch<float, (width > 1 ? width - 1 : 2), 6>();
    check_batch<float, width, 3>();
    check_batch<double, 2 * lane_width<double> + 1, 5>();
}
TEST(linalg, one_matrix_of_several_registers) { check_batch<double, 1, 32>(); }

TEST(linalg, lu_of_a_batch) {
    tensor<float, width + 3, 7, 7> a;
    fill(a, 5);
    const auto [factors, rows] = lu(a);
    for (std::size_t n = 0; n < width + 3; ++n) {
        matrix<float> lower(7, 7), upper(7, 7), permuted(7, 7);
        for (std::size_t i = 0; i < 7; ++i)
            for (std::size_t j = 0; j < 7; ++j) {
                (i > j ? lower : upper)(i, j) = factors(n, i, j);
                lower(i, i) = 1;
                permuted(i, j) = a(n, static_cast<std::size_t>(rows(n, i)), j);
            }
        support::expect_product(lower, upper, permuted);
    }
}

// ------------------------------------------------------------------ where matrices lie

TEST(linalg, reads_views_and_writes_strided_destinations) {
    tensor<float, 9, 4, 9> wide;
    tensor<float, 4, 3> b;
    fill(wide, 2);
    fill(b, 3);
    const auto a = slice<-1, 1, 9, 2>(wide);  // [9, 4, 4], with gaps
    const tensor<float, 9, 4, 4> dense = a;
    const tensor<float, 9, 4, 3> expected = solve(dense, b);
    const tensor<float, 9, 4, 3> of_view = solve(a, b);
    const tensor<float, 9, 4, 3> of_transposed = solve(transpose(eval(transpose(dense))), b);
    tensor<float, 9, 3, 4> transposed;
    transpose(transposed) = solve(a, b);
    tensor<float, 4, 3, 9> batch_last;
    permute<2, 0, 1>(batch_last) = solve(a, b);
    for (std::size_t n = 0; n < 9; ++n)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                EXPECT_EQ(of_view(n, i, j), expected(n, i, j));
                EXPECT_EQ(of_transposed(n, i, j), expected(n, i, j));
                EXPECT_EQ(transposed(n, j, i), expected(n, i, j));
                EXPECT_EQ(batch_last(i, j, n), expected(n, i, j));
            }
}

TEST(linalg, operands_may_be_computed_and_results_used) {
    tensor<float, 5, 5> g;
    tensor<float, 5> b;
    fill(g, 4);
    fill(b, 5);
    const tensor<float, 5, 5> s = matmul(g, transpose(g)) + identity<float, 5>();
    const tensor<float, 5> x = solve_spd(matmul(g, transpose(g)) + identity<float, 5>(), b);
    support::expect_solution(matrix<float>(5, 5, s.data()), matrix<float>(5, 1, x.data()),
                             matrix<float>(5, 1, b.data()));
    const tensor<float, 5> y = let(cholesky(s), [&](auto l) { return cholesky_solve(l, b) * 2.0f; });
    const float quadratic = dot(b, solve(s, b));
    float expected = 0;
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(y(i), 2 * x(i), 1e-5f);
        expected += b(i) * x(i);
    }
    EXPECT_NEAR(quadratic, expected, 1e-5f);
    const tensor<f16, 5, 5> narrow = s;
    const tensor<f16, 5, 5> inverted = inverse(narrow);
    const tensor<float, 5, 5> wide = inverse(cast<float>(narrow));
    for (std::size_t i = 0; i < 25; ++i)
        EXPECT_EQ(static_cast<float>(inverted.data()[i]), static_cast<float>(f16(wide.data()[i])));
}

TEST(linalg, destinations_may_be_operands) {
    tensor<float, width + 1, 3, 3> a;
    fill(a, 6);
    const tensor<float, width + 1, 3, 3> expected = inverse(a);
    a = inverse(a);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a.data()[i], expected.data()[i]);
    tensor<float, 6, 6> m;
    tensor<float, 6> b;
    fill(m, 7);
    fill(b, 8);
    const tensor<float, 6> x = solve(m, b);
    b = solve(m, b);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(b(i), x(i));
}

// ------------------------------------------------------------------ no solution

TEST(linalg, singular_matrices) {
    tensor<float, width + 1, 3, 3> a;
    fill(a, 9);
    for (std::size_t n = 0; n < a.extents[0]; n += 2) a[n] = tensor<float, 3, 3>{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}};
    const tensor<float, width + 1> d = det(a);
    const tensor<float, width + 1, 3, 3> b = inverse(a);
    for (std::size_t n = 0; n < a.extents[0]; ++n) {
        EXPECT_EQ(d(n) == 0, n % 2 == 0);
        bool finite = true;
        for (std::size_t i = 0; i < 9; ++i) finite = finite && std::isfinite(b.data()[9 * n + i]);
        EXPECT_EQ(finite, n % 2 != 0) << n;
    }
    EXPECT_EQ((eval(det(zeros<float, 5, 5>()))()), 0);
    tensor<float, 5, 5> ones = full<float, 5, 5>(1);
    EXPECT_EQ(eval(det(ones))(), 0);
}

TEST(linalg, what_is_not_positive_definite_becomes_nan) {
    tensor<float, width + 2, 5, 5> a;
    for (std::size_t n = 0; n < a.extents[0]; ++n) {
        const matrix<float> positive = support::positive_definite_matrix<float>(5, static_cast<std::uint32_t>(n));
        std::copy(positive.of.begin(), positive.of.end(), a.data() + 25 * n);
        if (n % 3 == 1) a(n, 2, 2) = -1;
        a(n, 0, 4) = std::numeric_limits<float>::quiet_NaN();  // the upper triangle is not read
    }
    const tensor<float, width + 2, 5, 5> l = cholesky(a);
    const tensor<bool, width + 2> definite = is_positive_definite(a);
    const tensor<float, width + 2, 5, 1> x = solve_spd(a, full<float, 5, 1>(1));
    for (std::size_t n = 0; n < a.extents[0]; ++n) {
        EXPECT_EQ(definite(n), n % 3 != 1);
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(std::isnan(x(n, i, 0)), n % 3 == 1);
            for (std::size_t j = 0; j <= i; ++j) EXPECT_EQ(std::isnan(l(n, i, j)), n % 3 == 1 && j >= 2) << n;
        }
        // One matrix alone gives the same.
        const tensor<float, 5, 5> alone = a[n];
        EXPECT_EQ(eval(is_positive_definite(alone))(), n % 3 != 1);
        const tensor<float, 5> y = solve_spd(alone, full<float, 5>(1));
        EXPECT_EQ(std::isnan(y(0)), n % 3 == 1);
    }
}

TEST(linalg, nan_passes_on) {
    tensor<float, 17, 17> a;
    fill(a, 11);
    a(3, 5) = std::numeric_limits<float>::quiet_NaN();
    const tensor<float, 17> x = solve(a, full<float, 17>(1));
    EXPECT_TRUE(std::isnan(x(5)));
    EXPECT_TRUE(std::isnan(eval(det(a))()));
}

// A matrix of NaN, infinities or pivots whose reciprocals overflow leaves the bits of the others as they are.
TEST(linalg, matrices_of_a_batch_do_not_mix) {
    constexpr std::size_t batch = width + 1, odd = batch / 2;
    tensor<float, batch, 5, 5> a, spoiled;
    fill(a, 13);
    const tensor<float, batch, 5, 5> whole = inverse(a);
    const tensor<float, batch> d = det(a);
    const auto f = lu(a);
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e-39f}) {
        spoiled = a;
        spoiled[odd] = value * identity<float, 5>();
        const tensor<float, batch, 5, 5> other = inverse(spoiled);
        const tensor<float, batch> other_d = det(spoiled);
        const auto other_f = lu(spoiled);
        for (std::size_t n = 0; n < batch; ++n) {
            if (n == odd) continue;
            EXPECT_TRUE(std::equal(&whole(n, 0, 0), &whole(n, 0, 0) + 25, &other(n, 0, 0))) << n;
            EXPECT_TRUE(std::equal(&f.factors(n, 0, 0), &f.factors(n, 0, 0) + 25, &other_f.factors(n, 0, 0))) << n;
            EXPECT_EQ(d(n), other_d(n));
        }
    }
}

template <std::size_t N, class T>
void expect_tiny_pivot(T tiny) {
    tensor<T, N, N> a = identity<T, N>();
    a(1, 1) = tiny;
    a(N - 1, 0) = 1;
    EXPECT_TRUE(eval(det(a))() == tiny || tiny * 1 == 0) << N;  // a processor may take it for zero
    const auto f = lu(a);
    const tensor<T, N, N> ordered = take<0>(a, f.rows);
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) {
            T sum = i > j ? f.factors(i, j) * f.factors(j, j) : f.factors(i, j);
            for (std::size_t k = 0; k < (std::min)(i, j); ++k) sum += f.factors(i, k) * f.factors(k, j);
            EXPECT_EQ(sum, ordered(i, j)) << N << ": " << i << ", " << j;
        }
}
TEST(linalg, pivots_without_a_reciprocal) {
    volatile float small = 1e-39f;
    volatile double denormal = std::numeric_limits<double>::denorm_min();
    expect_tiny_pivot<4>(float(small));
    expect_tiny_pivot<5>(float(small));
    expect_tiny_pivot<17>(double(denormal));
    EXPECT_TRUE(std::isinf(eval(inverse(tensor<float, 1, 1>{{-small}}))(0, 0)));
}

TEST(linalg, constants_agree_with_run_time) {
    constexpr tensor<float, 2, 6, 6> a = generate<float, 2, 6, 6>([](std::size_t n, std::size_t i, std::size_t j) {
        return static_cast<float>((i * 5 + j * 3 + n) % 7) + (i == j ? 9.0f : 0.0f);
    });
    constexpr tensor<float, 2, 6, 6> constant = inverse(a);
    const tensor<float, 2, 6, 6> copy = a, run = inverse(copy);
    for (std::size_t i = 0; i < run.size(); ++i) EXPECT_NEAR(run.data()[i], constant.data()[i], 1e-6f);
}

}  // namespace
