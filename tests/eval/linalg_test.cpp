// SPDX-License-Identifier: BSL-1.0
// Functions of small matrices as expressions: their shapes, plans and constants, batches, layouts, overlaps, and what
// has no solution.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
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
    const auto text = explain(e);
    EXPECT_TRUE(text.contains("matrix    t") && text.contains("= inverse(t")) << text.c_str();
    if (width > 1) {
        EXPECT_TRUE(text.contains("lanes: matrices")) << text.c_str();
        EXPECT_GE(workspace_bytes<decltype(e)>, sizeof a + 2 * 36 * width * sizeof(float));
    }
    EXPECT_LE(workspace_bytes<decltype(e)>, 2 * sizeof a + 2 * 36 * width * sizeof(float));
    EXPECT_EQ((workspace_bytes<decltype(solve_spd(tensor<float, 3, 3>{}, tensor<float, 3>{}))>), 0u);
    // A large batch is computed where it is read.
    using large = decltype(matmul(inverse(tensor<float, 4096, 6, 6>{}), tensor<float, 4096, 6, 1>{}));
    EXPECT_LE(workspace_bytes<large>, 4096u);
}

template <class Array>
[[gnu::noinline]] void fill(Array& a, std::uint32_t seed) {
    support::random_numbers(seed).fill_uniform(a);
}
/// Inverses, solutions of a and of s, roots and determinants of s, of a batch of matrices of order n.
template <class T>
[[gnu::noinline]] void expect_batch(std::size_t batch, std::size_t n, const T* a, const T* s, const T* b,
                                    const T* inverted, const T* x, const T* y, const T* l, const T* d) {
    matrix<T> one(n, n);
    for (std::size_t i = 0; i < n; ++i) one(i, i) = 1;
    for (std::size_t k = 0; k < batch; ++k) {
        const auto entry = [&](const T* from, std::size_t columns) {
            return matrix<T>(n, columns, from + k * n * columns);
        };
        support::expect_solution(entry(a, n), entry(inverted, n), one);
        support::expect_solution(entry(a, n), entry(x, 2), entry(b, 2));
        support::expect_solution(entry(s, n), entry(y, 2), entry(b, 2));
        const matrix<T> lower = entry(l, n);
        matrix<T> upper(n, n);
        T product(1);
        for (std::size_t i = 0; i < n; ++i) {
            product *= lower(i, i) * lower(i, i);
            for (std::size_t j = 0; j < n; ++j) {
                upper(j, i) = lower(i, j);
                EXPECT_TRUE(j <= i || lower(i, j) == T(0));
            }
        }
        support::expect_product(lower, upper, entry(s, n));
        EXPECT_NEAR(d[k] / product, 1, 200 * static_cast<T>(n) * std::numeric_limits<T>::epsilon());
    }
}

template <class T, std::size_t Batch, std::size_t N>
void check_batch() {
    SCOPED_TRACE(testing::Message() << Batch << " of " << N);
    static tensor<T, Batch, N, N> a, s, inverted, l;
    static tensor<T, Batch, N, 2> b, x, y;
    fill(a, 7 * N + Batch);
    fill(b, 3);
    for (std::size_t n = 0; n < Batch; ++n) {
        const matrix<T> positive = support::positive_definite_matrix<T>(N, static_cast<std::uint32_t>(n));
        std::copy(positive.of.begin(), positive.of.end(), s.data() + n * N * N);
    }
    inverted = inverse(a);
    x = solve(a, b);
    y = solve_spd(s, b);
    l = cholesky(s);
    const tensor<T, Batch> d = det(s);
    expect_batch(Batch, N, a.data(), s.data(), b.data(), inverted.data(), x.data(), y.data(), l.data(), d.data());
}

TEST(linalg, batches_around_a_register) {
    check_batch<float, 1, 3>();
    check_batch<float, width + 1, 3>();
    check_batch<double, (width > 2 ? width / 2 - 1 : 2), 6>();
}
TEST(linalg, one_matrix_of_several_registers) { check_batch<double, 1, 32>(); }

TEST(linalg, lu_of_a_batch) {
    tensor<float, width + 1, 5, 5> a;
    fill(a, 5);
    const auto [factors, rows] = lu(a);
    for (std::size_t n = 0; n < width + 1; ++n) {
        matrix<float> lower(5, 5), upper(5, 5), permuted(5, 5);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 5; ++j) {
                (i > j ? lower : upper)(i, j) = factors(n, i, j);
                lower(i, i) = 1;
                permuted(i, j) = a(n, static_cast<std::size_t>(rows(n, i)), j);
            }
        support::expect_product(lower, upper, permuted);
    }
}

TEST(linalg, reads_views_and_writes_strided_destinations) {
    tensor<float, 9, 4, 9> wide;
    tensor<float, 4, 3> b;
    fill(wide, 2);
    fill(b, 3);
    const auto a = slice<-1, 1, 9, 2>(wide);  // [9, 4, 4], with gaps
    const tensor<float, 9, 4, 4> dense = a, turned = transpose(a);
    const tensor<float, 9, 4, 3> expected = solve(dense, b);
    EXPECT_TRUE(all(expected == eval(solve(a, b))));
    EXPECT_TRUE(all(expected == eval(solve(transpose(turned), b))));
    tensor<float, 9, 3, 4> transposed;
    transpose(transposed) = solve(a, b);
    EXPECT_TRUE(all(expected == transpose(transposed)));
    tensor<float, 4, 3, 9> batch_last;
    permute<2, 0, 1>(batch_last) = solve(a, b);
    EXPECT_TRUE(all(expected == permute<2, 0, 1>(batch_last)));
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
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(y(i), 2 * x(i), 1e-5f);
    const float quadratic = dot(b, solve(s, b));
    EXPECT_NEAR(quadratic, std::inner_product(b.begin(), b.end(), x.begin(), 0.0f), 1e-5f);
    const tensor<f16, 5, 5> narrow = s;
    const tensor<f16, 5, 5> inverted = inverse(narrow);
    const tensor<float, 5, 5> widened = narrow, wide = inverse(widened);
    for (std::size_t i = 0; i < 25; ++i)
        EXPECT_EQ(static_cast<float>(inverted.data()[i]), static_cast<float>(f16(wide.data()[i])));
}

TEST(linalg, destinations_may_be_operands) {
    tensor<float, width + 1, 5, 5> a;
    fill(a, 6);
    const tensor<float, width + 1, 5, 5> expected = inverse(a);
    a = inverse(a);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), expected.begin()));
    tensor<float, 6, 6> m;
    tensor<float, 6> b;
    fill(m, 7);
    fill(b, 8);
    const tensor<float, 6> x = solve(m, b);
    b = solve(m, b);
    EXPECT_TRUE(std::equal(b.begin(), b.end(), x.begin()));
}

TEST(linalg, singular_matrices) {
    tensor<float, width + 1, 3, 3> a;
    fill(a, 9);
    for (std::size_t n = 0; n < a.extents[0]; n += 2) a[n] = tensor<float, 3, 3>{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}};
    const tensor<float, width + 1> d = det(a);
    const tensor<float, width + 1, 3, 3> b = inverse(a);
    for (std::size_t n = 0; n < a.extents[0]; ++n) {
        EXPECT_EQ(d(n) == 0, n % 2 == 0);
        const auto is_finite = [](float x) { return std::isfinite(x); };
        EXPECT_EQ(std::all_of(&b(n, 0, 0), &b(n, 0, 0) + 9, is_finite), n % 2 != 0) << n;
    }
    EXPECT_EQ((eval(det(zeros<float, 5, 5>()))()), 0);
    EXPECT_EQ((eval(det(full<float, 5, 5>(1)))()), 0);
}

TEST(linalg, what_is_not_positive_definite_becomes_nan) {
    tensor<float, width + 1, 5, 5> a;
    for (std::size_t n = 0; n < a.extents[0]; ++n) {
        const matrix<float> positive = support::positive_definite_matrix<float>(5, static_cast<std::uint32_t>(n));
        std::copy(positive.of.begin(), positive.of.end(), a.data() + 25 * n);
        if (n % 3 == 1) a(n, 2, 2) = -1;
        a(n, 0, 4) = std::numeric_limits<float>::quiet_NaN();  // the upper triangle is not read
    }
    const tensor<float, width + 1, 5, 5> l = cholesky(a);
    const tensor<bool, width + 1> definite = is_positive_definite(a);
    const tensor<float, width + 1, 5, 1> x = solve_spd(a, full<float, 5, 1>(1));
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
