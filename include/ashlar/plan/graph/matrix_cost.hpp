// SPDX-License-Identifier: BSL-1.0
// Functions of square matrices in numbers: their names, operations and scratch.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// In the order of matrix_kind.
inline constexpr const char* matrix_function_names[] = {"inverse",     "solve",    "solve_spd", "solve_lower",
                                                        "solve_upper", "cholesky", "det",       "lu"};

/// The sizes of a matrix function.
struct matrix_sizes {
    matrix_kind function;
    std::size_t order;  // rows and columns of a matrix
    std::size_t sides;  // right-hand sides that the kernel works on; the order of the rows of lu counts as one
    std::size_t count;  // matrices in the batch
};

/// Of a node, given its first operand. An inverse is the solution for the columns of the identity.
constexpr matrix_sizes sizes_of_matrices(const graph_node& n, const graph_node& first) {
    const auto function = static_cast<matrix_kind>(n.variant);
    const std::size_t order = first.extents[first.rank - 1u];
    switch (function) {
    case matrix_kind::cholesky: return {function, order, 0, n.size() / (order * order)};
    case matrix_kind::lu: return {function, order, 1, n.size() / (order * order)};
    case matrix_kind::determinant: return {function, order, 0, n.size()};
    default: return {function, order, n.extents[n.rank - 1u], n.size() / (order * n.extents[n.rank - 1u])};
    }
}

/// Whether a function reads one triangle of a symmetric matrix, the lower one, and needs no pivots.
constexpr bool is_symmetric(matrix_kind function) {
    return function == matrix_kind::cholesky || function == matrix_kind::solve_spd;
}

/// Operations of one matrix: a multiply-add counts 2, any other operation 1.
constexpr std::size_t matrix_flops(const matrix_sizes& s) {
    constexpr std::size_t of_cofactors[] = {0, 0, 3, 14};
    if (s.function == matrix_kind::determinant && s.order <= 3) return of_cofactors[s.order];
    const bool symmetric = is_symmetric(s.function);
    const bool triangular = s.function == matrix_kind::solve_lower || s.function == matrix_kind::solve_upper;
    const std::size_t sides = s.function == matrix_kind::lu ? 0 : s.sides;
    std::size_t total = 0;
    for (std::size_t below = 0; below < s.order; ++below) {  // rows below the pivot
        total += 1;                                          // its reciprocal
        if (!triangular) total += below + (symmetric ? below * (below + 1) : 2 * below * below);
        // Forwards and back; a triangular matrix takes one of the two.
        total += sides * ((triangular ? 1 : 2) * 2 * below + 1);
        if (s.function == matrix_kind::cholesky || s.function == matrix_kind::determinant) total += 1;
    }
    return total;
}
constexpr std::size_t matrix_flops(const graph_node& n, const graph_node& first) {
    const matrix_sizes sizes = sizes_of_matrices(n, first);
    return sizes.count * matrix_flops(sizes);
}

/// How a stage computes.
enum class matrix_form : std::uint8_t {
    matrices_in_lanes,
    columns_in_lanes,
    scalars,  // the entries of a small matrix in scalar registers, its right-hand sides in vectors
};
constexpr matrix_form form_of_matrices(const matrix_sizes& s, bool in_lanes) {
    constexpr std::size_t most_order_of_pivots = 4, most_order = 8, most_sides = 16;
    if (in_lanes) return matrix_form::matrices_in_lanes;
    return s.order <= (is_symmetric(s.function) ? most_order : most_order_of_pivots) && s.sides <= most_sides
               ? matrix_form::scalars
               : matrix_form::columns_in_lanes;
}

/// Elements of scratch: of a matrix and its right-hand sides for each lane, or of one whose rows fill registers.
constexpr std::size_t matrix_scratch(const matrix_sizes& s, std::size_t width, matrix_form form) {
    const auto rounded = [&](std::size_t n) { return (n + width - 1) / width * width; };
    switch (form) {
    case matrix_form::matrices_in_lanes: return s.order * (s.order + s.sides) * width;
    case matrix_form::columns_in_lanes: return s.order * (rounded(s.order) + rounded(s.sides));
    default: return 0;
    }
}

/// Elements that a stage keeps on the stack: factors of rows, and a matrix that is not in scratch.
constexpr std::size_t matrix_locals(const matrix_sizes& s, std::size_t width, matrix_form form) {
    const std::size_t sides = (s.sides + width - 1) / width * width;
    return form == matrix_form::scalars ? s.order * (s.order + sides + 2) : 2 * s.order * width;
}

}  // namespace ashlar::detail
