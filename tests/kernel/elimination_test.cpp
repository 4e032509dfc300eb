// SPDX-License-Identifier: BSL-1.0
// Elimination of small matrices in both layouts, against residuals in long double.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/linear_equations.hpp>

#include <ashlar/kernel/matrix/elimination.hpp>
#include <ashlar/kernel/simd.hpp>

namespace {

using namespace ashlar;
using namespace ashlar::detail;
using support::matrix;

constexpr std::size_t sides = 3;

/// A layout, and the places of entries in its scratch.
template <class T, std::size_t Order>
struct lanes_of {
    static constexpr std::size_t width = lane_width<T>;
    using layout = lane_matrices<lanes<T, width>, Order, sides>;
    static constexpr std::size_t matrices = width;
    static std::size_t place(std::size_t i, std::size_t j, std::size_t columns, std::size_t lane) {
        return (i * columns + j) * width + lane;
    }
};
template <class T, std::size_t Order>
struct rows_of {
    static constexpr std::size_t width = lane_width<T>;
    using layout = row_matrix<lanes<T, width>, Order, sides>;
    static constexpr std::size_t matrices = 1;
    static std::size_t place(std::size_t i, std::size_t j, std::size_t columns, std::size_t) {
        return i * ((columns + width - 1) / width * width) + j;
    }
};
using placed = std::size_t (*)(std::size_t, std::size_t, std::size_t, std::size_t);

template <class T>
[[gnu::noinline]] void put(std::vector<T>& to, const matrix<T>& from, std::size_t lane, placed place) {
    for (std::size_t i = 0; i < from.rows; ++i)
        for (std::size_t j = 0; j < from.columns; ++j) to[place(i, j, from.columns, lane)] = from(i, j);
}
template <class T>
[[gnu::noinline]] matrix<T> get(const std::vector<T>& from, std::size_t rows, std::size_t columns, std::size_t lane,
                                placed place) {
    matrix<T> out(rows, columns);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) out(i, j) = from[place(i, j, columns, lane)];
    return out;
}
template <class T>
[[gnu::noinline]] matrix<T> triangle(const matrix<T>& a, bool lower, bool has_ones, bool transposed = false) {
    matrix<T> out(a.rows, a.rows);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::size_t j = 0; j < a.rows; ++j)
            if (i == j || (i > j) == lower) (transposed ? out(j, i) : out(i, j)) = i == j && has_ones ? T(1) : a(i, j);
    return out;
}

/// The matrices of all lanes: random ones, and every other one ill-conditioned.
template <class T>
[[gnu::noinline]] matrix<T> general(std::size_t n, std::size_t lane) {
    const auto seed = static_cast<std::uint32_t>(100 * n + lane);
    return lane % 2 != 0 ? support::graded_matrix<T>(n, T(0.25), seed) : support::random_matrix<T>(n, n, seed);
}
template <class T>
[[gnu::noinline]] matrix<T> right_side(std::size_t n, std::size_t lane) {
    return support::random_matrix<T>(n, sides, static_cast<std::uint32_t>(lane));
}
template <class T>
[[gnu::noinline]] matrix<T> symmetric(std::size_t n, std::size_t lane) {
    return support::positive_definite_matrix<T>(n, static_cast<std::uint32_t>(10 * n + lane));
}

template <class T, std::size_t Order, template <class, std::size_t> class Form>
struct form_checks {
    using form = Form<T, Order>;
    using layout = typename form::layout;

    template <class Matrix, class Run, class Expect>
    static void check(Matrix make, Run run, Expect expect) {
        std::vector<T> rows(layout::elements, T(NAN)), right(Order * layout::side_blocks * layout::width, T(NAN));
        for (std::size_t lane = 0; lane < form::matrices; ++lane) {
            put(rows, make(Order, lane), lane, form::place);
            put(right, right_side<T>(Order, lane), lane, form::place);
        }
        run(layout{{rows.data(), right.data()}});
        for (std::size_t lane = 0; lane < form::matrices; ++lane)
            expect(make(Order, lane), right_side<T>(Order, lane), get(rows, Order, Order, lane, form::place),
                   get(right, Order, sides, lane, form::place));
    }
    static void all() {
        SCOPED_TRACE(Order);
        const auto solves = [](const matrix<T>& a, const matrix<T>& b, const matrix<T>&, const matrix<T>& x) {
            support::expect_solution(a, x, b);
        };
        check(
            general<T>,
            [](const layout& a) {
                row_factors<layout> reciprocals;
                eliminate<false>(a, reciprocals);
                substitute_back(a, reciprocals);
            },
            solves);
        check(
            general<T>,
            [](const layout& a) {
                row_factors<layout> reciprocals;
                eliminate<true>(a, reciprocals);
            },
            // The right-hand sides are permuted as the rows are.
            [](const matrix<T>& a, const matrix<T>& b, const matrix<T>& f, const matrix<T>& permuted) {
                matrix<T> expected(Order, Order);
                for (std::size_t i = 0; i < Order; ++i)
                    for (std::size_t r = 0; r < Order; ++r)
                        if (permuted(i, 0) == b(r, 0))
                            for (std::size_t j = 0; j < Order; ++j) expected(i, j) = a(r, j);
                const matrix<T> lower = triangle(f, true, true);
                for (const T x : lower.of) ASSERT_LE(std::fabs(x), T(1) + std::numeric_limits<T>::epsilon());
                support::expect_product(lower, triangle(f, false, false), expected);
            });
        check(
            symmetric<T>,
            [](const layout& a) {
                row_factors<layout> reciprocals;
                EXPECT_EQ(eliminate_symmetric(a, reciprocals), Order);
                substitute_back(a, reciprocals);
            },
            solves);
        check(
            symmetric<T>, [](const layout& a) { EXPECT_EQ(factor_cholesky(a), Order); },
            [](const matrix<T>& a, const matrix<T>&, const matrix<T>& f, const matrix<T>&) {
                support::expect_product(triangle(f, false, false, true), triangle(f, false, false), a);
            });
        check(
            symmetric<T>, [](const layout& a) { solve_lower(a); },
            [](const matrix<T>& a, const matrix<T>& b, const matrix<T>&, const matrix<T>& x) {
                support::expect_solution(triangle(a, true, false), x, b);
            });
        check(
            symmetric<T>, [](const layout& a) { solve_upper(a); },
            [](const matrix<T>& a, const matrix<T>& b, const matrix<T>&, const matrix<T>& x) {
                support::expect_solution(triangle(a, false, false), x, b);
            });
    }
};

template <class T, template <class, std::size_t> class Form, std::size_t... Order>
void check_orders(std::index_sequence<Order...>) {
    (form_checks<T, Order, Form>::all(), ...);
}

TEST(elimination, solves_and_factors_a_matrix_in_each_lane) {
    check_orders<float, lanes_of>(std::index_sequence<1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 31, 32>{});
    check_orders<double, lanes_of>(std::index_sequence<3, 7, 32>{});
}
TEST(elimination, solves_and_factors_a_matrix_in_rows) {
    check_orders<float, rows_of>(std::index_sequence<1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 31, 32>{});
    check_orders<double, rows_of>(std::index_sequence<3, 7, 17>{});
}

}  // namespace
