// SPDX-License-Identifier: BSL-1.0
// Determinants of matrices of up to three rows, by cofactors.
#pragma once

#include <ashlar/kernel/matrix/matrix_layout.hpp>

namespace ashlar::inline v0_1::detail {

/// Few products, without divisions. Each product rounds once, so the error is a few units in the last place of the
/// largest product, as in elimination.
template <class Layout>
    requires(Layout::order <= 3)
ASHLAR_ALWAYS_INLINE constexpr typename Layout::vec small_determinant(const Layout& a) {
    constexpr std::size_t order = Layout::order;
    // The determinant of the last two rows in these columns.
    const auto two_rows = [&](std::size_t first, std::size_t second) ASHLAR_LAMBDA_INLINE {
        return a.entry(order - 2, first) * a.entry(order - 1, second) -
               a.entry(order - 2, second) * a.entry(order - 1, first);
    };
    if constexpr (order == 1)
        return a.entry(0, 0);
    else if constexpr (order == 2)
        return two_rows(0, 1);
    else
        return a.entry(0, 0) * two_rows(1, 2) - a.entry(0, 1) * two_rows(0, 2) + a.entry(0, 2) * two_rows(0, 1);
}

}  // namespace ashlar::detail
