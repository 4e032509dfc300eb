// SPDX-License-Identifier: BSL-1.0
// Attention with a mask, where what the mask excludes is not finite.
#pragma once

#include <cstddef>
#include <limits>

#include <tests/support/differential.hpp>

namespace support {

/// Keys and values that no query keeps are NaN.
template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth, class Mask, class Keeps>
void check_edge(const Mask& mask, Keeps keeps) {
    support::random_numbers random(7);
    const auto q = random.normal<T, Queries, Depth>();
    auto k = random.normal<T, Keys, Depth>();
    auto v = random.normal<T, Keys, Depth + 2>();
    for (std::size_t j = 0; j < Keys; ++j) {
        bool kept = false;
        for (std::size_t i = 0; i < Queries; ++i)
            kept = kept || keeps(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i));
        for (std::size_t d = 0; !kept && d < Depth; ++d) k(j, d) = v(j, d) = std::numeric_limits<T>::quiet_NaN();
    }
    check(ashlar::attention(q, k, v, mask));
    // Some queries keep this value, most do not: it must not reach them.
    v(Keys / 2, 0) = std::numeric_limits<T>::infinity();
    check(ashlar::attention(q, k, v, mask));
}

}  // namespace support
