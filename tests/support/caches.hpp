// SPDX-License-Identifier: BSL-1.0
// What tests of caches of keys and values have in common.
#pragma once

#include <cstddef>
#include <cstring>

#include <ashlar/tensor/tensor.hpp>

#include "support/reference.hpp"

namespace support {

/// Makes the memory of a cache NaN.
template <class Cache>
void spoil(Cache& c) {
    std::memset(c.key_columns.data(), 0xff, sizeof c.key_columns);
    std::memset(c.value_rows.data(), 0xff, sizeof c.value_rows);
    if constexpr (Cache::scales_type::are_needed) {
        std::memset(c.scales.of_keys.data(), 0xff, sizeof c.scales.of_keys);
        std::memset(c.scales.of_values.data(), 0xff, sizeof c.scales.of_values);
    }
}

/// Rows [first, last) of the second axis of [heads, rows, width].
inline reference::array rows(const reference::array& a, std::size_t first, std::size_t last) {
    reference::array result{{a.extents[0], last - first, a.extents[2]}, {}};
    for (std::size_t h = 0; h < a.extents[0]; ++h)
        for (std::size_t r = first; r < last; ++r)
            for (std::size_t i = 0; i < a.extents[2]; ++i)
                result.values.push_back(a.values[(h * a.extents[1] + r) * a.extents[2] + i]);
    return result;
}

/// Row t of [heads, rows, width].
template <class X>
auto row_at(const X& x, std::size_t t) {
    ashlar::tensor<typename X::value_type, X::extents[0], X::extents[2]> result;
    for (std::size_t h = 0; h < X::extents[0]; ++h)
        for (std::size_t i = 0; i < X::extents[2]; ++i) result(h, i) = x(h, t, i);
    return result;
}

}  // namespace support
