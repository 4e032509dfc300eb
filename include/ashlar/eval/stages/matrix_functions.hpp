// SPDX-License-Identifier: BSL-1.0
// Which kernels compute a function of square matrices.
#pragma once

#include <ashlar/kernel/matrix/elimination.hpp>
#include <ashlar/kernel/matrix/small_determinant.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>

namespace ashlar::inline v0_1::detail {

/// Right-hand sides that are not an operand: the identity, or the numbers of the rows.
template <matrix_kind Function, class Layout>
ASHLAR_ALWAYS_INLINE constexpr void fill_sides(const Layout& a) {
    using element = typename Layout::element;
    using vec = typename Layout::side_vec;
    for (std::size_t i = 0; i < Layout::order; ++i)
        for (std::size_t v = 0; v < Layout::side_blocks; ++v) {
            if constexpr (Function == matrix_kind::lu)
                vec(static_cast<element>(i)).store(a.side(i, v));
            else if constexpr (Layout::side_block_is_column)
                vec(element(i == v ? 1 : 0)).store(a.side(i, v));
            else
                select(vec::iota() == vec(static_cast<element>(i) - static_cast<element>(v * vec::size)),
                       vec(element(1)), vec(element(0)))
                    .store(a.side(i, v));
        }
}

/// What a function returns besides the matrix that it leaves in its layout.
template <class Vec>
struct matrix_outcome {
    Vec determinant;
    std::size_t end;  // the pivot at which a constant expression stopped
};

template <matrix_kind Function, class Layout>
ASHLAR_ALWAYS_INLINE constexpr matrix_outcome<typename Layout::vec> run_matrix_function(const Layout& a) {
    using vec = typename Layout::vec;
    matrix_outcome<vec> out{vec(typename Layout::element(0)), Layout::order};
    row_factors<Layout> reciprocals;
    if constexpr (Function == matrix_kind::lu || Function == matrix_kind::inverse) fill_sides<Function>(a);
    if constexpr (Function == matrix_kind::cholesky) {
        out.end = factor_cholesky(a);
    } else if constexpr (Function == matrix_kind::solve_spd) {
        out.end = eliminate_symmetric(a, reciprocals);
        if (out.end == Layout::order) substitute_back(a, reciprocals);
    } else if constexpr (Function == matrix_kind::solve_lower) {
        solve_lower(a);
    } else if constexpr (Function == matrix_kind::solve_upper) {
        solve_upper(a);
    } else if constexpr (Function == matrix_kind::determinant && Layout::order <= 3) {
        out.determinant = small_determinant(a);
    } else {
        out.determinant = eliminate < Function == matrix_kind::lu > (a, reciprocals);
        if constexpr (Function == matrix_kind::inverse || Function == matrix_kind::solve)
            substitute_back(a, reciprocals);
    }
    return out;
}

}  // namespace ashlar::detail
