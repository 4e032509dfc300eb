// SPDX-License-Identifier: BSL-1.0
// How tensors are printed.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// How tensors are printed. The first two are NumPy's threshold and edgeitems.
///
///     print(scores, {.edge_items = 2, .decimals = 2});
struct print_options {
    std::size_t threshold = 1000;  ///< up to so many elements all are printed
    std::size_t edge_items = 3;    ///< beyond, so many at both ends of each axis
    int decimals = 4;              ///< digits after the point, at most 40
    std::size_t line_width = 80;   ///< columns, beyond which a row continues on the next line
};

}  // namespace ashlar
