// SPDX-License-Identifier: BSL-1.0
// How other libraries describe memory, by run-time extents and strides, compared with the constants of a view.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

/// Strides in elements if the first index is the fastest one, as in Fortran.
template <std::size_t Rank>
consteval std::array<std::ptrdiff_t, Rank> column_major_strides(const std::array<std::size_t, Rank>& extents) {
    std::array<std::ptrdiff_t, Rank> strides{};
    std::ptrdiff_t step = 1;
    for (std::size_t i = 0; i < Rank; ++i) {
        strides[i] = step;
        step *= static_cast<std::ptrdiff_t>(extents[i]);
    }
    return strides;
}

/// Whether two lists of strides mean the same elements: that of an axis of extent 1 does not count.
template <std::size_t Rank>
ASHLAR_ALWAYS_INLINE constexpr bool same_strides(const std::array<std::size_t, Rank>& extents,
                                                 const std::array<std::ptrdiff_t, Rank>& left,
                                                 const std::array<std::ptrdiff_t, Rank>& right) noexcept {
    for (std::size_t i = 0; i < Rank; ++i)
        if (extents[i] != 1 && left[i] != right[i]) return false;
    return true;
}

/// Whether strides are positive and no two indices mean one element, as most libraries ask of strided memory: sorted by
/// stride, each axis steps over all of the axes before it.
template <std::size_t Rank>
consteval bool is_one_to_one(const std::array<std::size_t, Rank>& extents,
                             const std::array<std::ptrdiff_t, Rank>& strides) {
    std::array<bool, Rank> passed{};
    std::ptrdiff_t reach = 0;
    for (std::size_t count = 0; count < Rank; ++count) {
        std::size_t next = Rank;
        for (std::size_t i = 0; i < Rank; ++i)
            if (!passed[i] && (next == Rank || strides[i] < strides[next])) next = i;
        passed[next] = true;
        if (extents[next] == 1) continue;
        if (strides[next] <= reach) return false;
        reach += static_cast<std::ptrdiff_t>(extents[next] - 1) * strides[next];
    }
    return true;
}

/// A shape of dimensions as users write them: integers of any type, and axes.
template <auto... Dims>
using shape_of_dims = shape<canonical(Dims)...>;

/// The view of a shape at strides.
template <class Element, class Shape, auto Strides>
using view_at = decltype(make_view<Element, Shape, Strides>(static_cast<Element*>(nullptr)));

}  // namespace ashlar::detail
