// SPDX-License-Identifier: BSL-1.0
// Small systems of equations with known properties, and their residuals in long double.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random.hpp>

namespace support {

/// A matrix in row-major order.
template <class T>
struct matrix {
    std::size_t rows = 0, columns = 0;
    std::vector<T> of;

    matrix(std::size_t r, std::size_t c) : rows(r), columns(c), of(r * c) {}
    matrix(std::size_t r, std::size_t c, const T* from) : rows(r), columns(c), of(from, from + r * c) {}
    T& operator()(std::size_t i, std::size_t j) { return of[i * columns + j]; }
    const T& operator()(std::size_t i, std::size_t j) const { return of[i * columns + j]; }
};

template <class T>
[[gnu::noinline]] matrix<T> random_matrix(std::size_t rows, std::size_t columns, std::uint32_t seed) {
    matrix<T> out(rows, columns);
    random_numbers(seed).fill_uniform(out.of);
    return out;
}

/// Columns that grow by `step` make a matrix as ill-conditioned as step^(n - 1).
template <class T>
[[gnu::noinline]] matrix<T> graded_matrix(std::size_t n, T step, std::uint32_t seed) {
    matrix<T> out = random_matrix<T>(n, n, seed);
    T scale(1);
    for (std::size_t j = 0; j < n; ++j, scale *= step)
        for (std::size_t i = 0; i < n; ++i) out(i, j) *= scale;
    return out;
}

/// G G^T + I / 8, rounded, for a random G.
template <class T>
[[gnu::noinline]] matrix<T> positive_definite_matrix(std::size_t n, std::uint32_t seed) {
    const matrix<T> g = random_matrix<T>(n, n, seed);
    matrix<T> out(n, n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            long double total = i == j ? 0.125L : 0;
            for (std::size_t k = 0; k < n; ++k) total += static_cast<long double>(g(i, k)) * g(j, k);
            out(i, j) = out(j, i) = static_cast<T>(total);
        }
    return out;
}

/// |left * right - expected| <= 8 * n * eps * (|left| * |right| + |expected|), entry by entry: the bound of backward
/// stable algorithms, whatever the condition.
template <class T>
[[gnu::noinline]] void expect_product(const matrix<T>& left, const matrix<T>& right, const matrix<T>& expected) {
    const std::size_t n = left.columns;
    for (std::size_t i = 0; i < left.rows; ++i)
        for (std::size_t j = 0; j < right.columns; ++j) {
            long double total = 0, magnitude = std::fabs(static_cast<long double>(expected(i, j)));
            for (std::size_t k = 0; k < n; ++k) {
                total += static_cast<long double>(left(i, k)) * right(k, j);
                magnitude += std::fabs(static_cast<long double>(left(i, k)) * right(k, j));
            }
            const long double bound =
                8.0L * static_cast<long double>(n) * std::numeric_limits<T>::epsilon() * magnitude;
            ASSERT_LE(std::fabs(total - expected(i, j)), bound) << n << ": " << i << ", " << j;
        }
}
/// The same for solutions: of partial pivoting the largest entry of a row bounds the errors of all its entries.
template <class T>
[[gnu::noinline]] void expect_solution(const matrix<T>& a, const matrix<T>& x, const matrix<T>& b) {
    const std::size_t n = a.rows;
    long double norm = 0;
    for (std::size_t i = 0; i < n; ++i) {
        long double row = 0;
        for (std::size_t k = 0; k < n; ++k) row += std::fabs(static_cast<long double>(a(i, k)));
        norm = row > norm ? row : norm;
    }
    for (std::size_t j = 0; j < x.columns; ++j) {
        long double largest = 0;
        for (std::size_t k = 0; k < n; ++k) largest = std::fmax(largest, std::fabs(static_cast<long double>(x(k, j))));
        for (std::size_t i = 0; i < n; ++i) {
            long double total = -static_cast<long double>(b(i, j));
            for (std::size_t k = 0; k < n; ++k) total += static_cast<long double>(a(i, k)) * x(k, j);
            const long double bound =
                4.0L * static_cast<long double>(n) * std::numeric_limits<T>::epsilon() * norm * largest;
            ASSERT_LE(std::fabs(total), bound) << n << ": " << i << ", " << j;
        }
    }
}

}  // namespace support
