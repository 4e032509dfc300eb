// SPDX-License-Identifier: BSL-1.0
// Gaussian elimination of small matrices, in either layout of matrix_layout.hpp: with partial pivoting, symmetric, and
// of triangular matrices (Golub and Van Loan, Matrix Computations, 3.4, 4.1 and 4.2).
//
// Of symmetric matrices only the upper triangle of the layout is used. Of a matrix that is not positive definite,
// everything from the first pivot on that is not positive becomes NaN.
#pragma once

#include <limits>

#include <ashlar/kernel/matrix/matrix_layout.hpp>

namespace ashlar::inline v0_1::detail {

/// A number for each row of the matrices.
template <class Layout>
struct row_factors {
    typename Layout::vec of[Layout::order];
};

/// Subtracts multiples of `top` from the rows in [first, last), in one block.
template <class Layout, class Block>
ASHLAR_ALWAYS_INLINE constexpr void subtract(const row_factors<Layout>& factors, typename Layout::vec top,
                                             std::size_t first, std::size_t last, Block block) {
    using vec = typename Layout::vec;
    each_index<Layout::unrolled, Layout::order>(first, last, [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
        fma(-factors.of[i], top, vec::load(block(i))).store(block(i));
    });
}
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void subtract_side(const Layout& a, const row_factors<Layout>& factors, std::size_t k,
                                                  std::size_t first, std::size_t last) {
    using vec = typename Layout::side_vec;
    each_index<Layout::unrolled, Layout::side_blocks>(0, Layout::side_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
        const vec top = vec::load(a.side(k, v));
        each_index<Layout::unrolled, Layout::order>(first, last, [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
            fma(-Layout::for_sides(factors.of[i]), top, vec::load(a.side(i, v))).store(a.side(i, v));
        });
    });
}

template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void scale_side(const Layout& a, std::size_t k, typename Layout::vec factor) {
    each_index<Layout::unrolled, Layout::side_blocks>(0, Layout::side_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
        (Layout::side_vec::load(a.side(k, v)) * Layout::for_sides(factor)).store(a.side(k, v));
    });
}

/// 1 / x, but infinity for zero, without an exception.
template <class Vec>
ASHLAR_ALWAYS_INLINE constexpr Vec reciprocal_of_pivot(Vec x) {
    using element = typename Vec::value_type;
    const auto none = x == Vec(element(0));
    return select(none, Vec(std::numeric_limits<element>::infinity()),
                  Vec(element(1)) / select(none, Vec(element(1)), x));
}

/// Whether 1 / x overflows: x is zero or, for float, at most 2^-128.
template <class Vec>
ASHLAR_ALWAYS_INLINE constexpr auto has_no_reciprocal(Vec x) {
    using element = typename Vec::value_type;
    return abs(x) <= Vec(element(1) / (std::numeric_limits<element>::max)());
}

/// Factors P A = L U in place. U is in the upper triangle. Right-hand sides B become the solution of L X = P B or, if
/// `KeepsFactors`, P B; below the diagonal then is L, without its ones. Returns the determinant.
template <bool KeepsFactors, class Layout>
ASHLAR_ALWAYS_INLINE constexpr typename Layout::vec eliminate(const Layout& a, row_factors<Layout>& reciprocals) {
    using vec = typename Layout::vec;
    using element = typename Layout::element;
    constexpr std::size_t order = Layout::order;
    vec determinant(element(1));
    each_index<Layout::unrolled, order>(0, order, [&](std::size_t k) ASHLAR_LAMBDA_INLINE {
        const auto pivot = a.find_pivot(k);
        a.swap_rows(k, pivot, KeepsFactors ? 0 : Layout::block_of(k));
        const vec diagonal = a.entry(k, k);
        reciprocals.of[k] = reciprocal_of_pivot(diagonal);
        determinant = determinant * diagonal * Layout::sign_of_swap(k, pivot);
        // The pivot is the greatest of its column: what is below such a small one counts as zero.
        const vec inverse = select(has_no_reciprocal(diagonal), vec(element(0)), reciprocals.of[k]);
        row_factors<Layout> factors;
        each_index<Layout::unrolled, order>(
            k + 1, order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { factors.of[i] = a.entry(i, k) * inverse; });
        each_index<Layout::unrolled, Layout::row_blocks>(
            Layout::block_of(k + 1), Layout::row_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
                vec top = vec::load(a.row(k, v));
                if constexpr (KeepsFactors) top = Layout::after_column(k, v, top);
                subtract(factors, top, k + 1, order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { return a.row(i, v); });
            });
        if constexpr (KeepsFactors)
            each_index<Layout::unrolled, order>(
                k + 1, order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { a.set_entry(i, k, factors.of[i]); });
        else
            subtract_side(a, factors, k, k + 1, order);
    });
    return determinant;
}

/// 1 / x, but NaN unless x is positive.
template <class Vec>
ASHLAR_ALWAYS_INLINE constexpr Vec reciprocal_if_positive(Vec x) {
    using element = typename Vec::value_type;
    const auto positive = x > Vec(element(0));
    return select(positive, Vec(element(1)) / select(positive, x, Vec(element(1))),
                  Vec(std::numeric_limits<element>::quiet_NaN()));
}

/// Subtracts multiples of row k from the rows below, in the upper triangle.
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void subtract_from_triangle(const Layout& a, const row_factors<Layout>& factors,
                                                           std::size_t k) {
    each_index<Layout::unrolled, Layout::row_blocks>(
        Layout::block_of(k + 1), Layout::row_blocks, [&](std::size_t v) ASHLAR_LAMBDA_INLINE {
            subtract(factors, Layout::vec::load(a.row(k, v)), k + 1, Layout::end_above(v),
                     [&](std::size_t i) ASHLAR_LAMBDA_INLINE { return a.row(i, v); });
        });
}

/// Whether an algorithm stops because a pivot is not positive: in constant expressions, which refuse NaN.
template <class Vec>
ASHLAR_ALWAYS_INLINE constexpr bool stops_at(Vec pivot) {
    return __builtin_is_constant_evaluated() && !all_of(pivot > Vec(typename Vec::value_type(0)));
}

/// Factors A = U^T D^-1 U, where D is the diagonal of U, in the upper triangle. Right-hand sides B become the solution
/// of U^T D^-1 X = B. Returns the pivot at which it stops; the order if it does not.
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr std::size_t eliminate_symmetric(const Layout& a, row_factors<Layout>& reciprocals) {
    constexpr std::size_t order = Layout::order;
    std::size_t end = order;
    each_index<Layout::unrolled, order>(0, order, [&](std::size_t k) ASHLAR_LAMBDA_INLINE {
        if (k > end || stops_at(a.entry(k, k))) {
            end = k < end ? k : end;
            return;
        }
        reciprocals.of[k] = reciprocal_if_positive(a.entry(k, k));
        row_factors<Layout> factors;
        each_index<Layout::unrolled, order>(k + 1, order, [&](std::size_t i) ASHLAR_LAMBDA_INLINE {
            factors.of[i] = a.entry(k, i) * reciprocals.of[k];
        });
        subtract_from_triangle(a, factors, k);
        subtract_side(a, factors, k, k + 1, order);
    });
    return end;
}

/// Factors A = U^T U in the upper triangle. Returns the pivot at which it stops; the order if it does not.
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr std::size_t factor_cholesky(const Layout& a) {
    using vec = typename Layout::vec;
    using element = typename Layout::element;
    constexpr std::size_t order = Layout::order;
    std::size_t end = order;
    each_index<Layout::unrolled, order>(0, order, [&](std::size_t k) ASHLAR_LAMBDA_INLINE {
        const vec diagonal = a.entry(k, k);
        if (k > end || stops_at(diagonal)) {
            end = k < end ? k : end;
            return;
        }
        const auto positive = diagonal > vec(element(0));
        const vec root = sqrt(select(positive, diagonal, vec(element(1))));
        const vec divisor = select(positive, root, vec(std::numeric_limits<element>::quiet_NaN()));
        each_index<Layout::unrolled, Layout::row_blocks>(
            Layout::block_of(k), Layout::row_blocks,
            [&](std::size_t v) ASHLAR_LAMBDA_INLINE { (vec::load(a.row(k, v)) / divisor).store(a.row(k, v)); });
        row_factors<Layout> factors;
        each_index<Layout::unrolled, order>(k + 1, order,
                                            [&](std::size_t i) ASHLAR_LAMBDA_INLINE { factors.of[i] = a.entry(k, i); });
        subtract_from_triangle(a, factors, k);
    });
    return end;
}

/// The right-hand sides B become the solution of U X = B, for an upper triangle whose diagonal has these reciprocals.
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void substitute_back(const Layout& a, const row_factors<Layout>& reciprocals) {
    each_index<Layout::unrolled, Layout::order>(0, Layout::order, [&](std::size_t above) ASHLAR_LAMBDA_INLINE {
        const std::size_t k = Layout::order - 1 - above;
        row_factors<Layout> factors;
        each_index<Layout::unrolled, Layout::order>(
            0, k, [&](std::size_t i) ASHLAR_LAMBDA_INLINE { factors.of[i] = a.entry(i, k); });
        scale_side(a, k, reciprocals.of[k]);
        subtract_side(a, factors, k, 0, k);
    });
}
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void solve_upper(const Layout& a) {
    row_factors<Layout> reciprocals;
    each_index<Layout::unrolled, Layout::order>(0, Layout::order, [&](std::size_t k) ASHLAR_LAMBDA_INLINE {
        reciprocals.of[k] = reciprocal_of_pivot(a.entry(k, k));
    });
    substitute_back(a, reciprocals);
}

/// The right-hand sides B become the solution of L X = B, for a lower triangle.
template <class Layout>
ASHLAR_ALWAYS_INLINE constexpr void solve_lower(const Layout& a) {
    using vec = typename Layout::vec;
    constexpr std::size_t order = Layout::order;
    each_index<Layout::unrolled, order>(0, order, [&](std::size_t k) ASHLAR_LAMBDA_INLINE {
        const vec reciprocal = reciprocal_of_pivot(a.entry(k, k));
        row_factors<Layout> factors;
        each_index<Layout::unrolled, order>(k + 1, order,
                                            [&](std::size_t i) ASHLAR_LAMBDA_INLINE { factors.of[i] = a.entry(i, k); });
        scale_side(a, k, reciprocal);
        subtract_side(a, factors, k, k + 1, order);
    });
}

}  // namespace ashlar::detail
