// SPDX-License-Identifier: BSL-1.0
// Options that are one number, or a pair for two axes.
#pragma once

#include <concepts>
#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// One number, or one for each of two axes, height before width, in the options of pooling and convolutions. One number
/// for two axes applies to both.
///
///     auto y = max_pool<{.kernel = {2, 3}, .stride = 2}>(image);   // the stride of both axes is 2
struct one_or_two {
    std::size_t count = 0, first = 0, second = 0;

    constexpr one_or_two() = default;
    /// From a number that is not negative.
    template <std::integral Number>
    ASHLAR_ALWAYS_INLINE constexpr one_or_two(Number n)
        : count(1), first(static_cast<std::size_t>(n)), second(static_cast<std::size_t>(n)) {}
    /// From one number for each axis.
    template <std::integral Height, std::integral Width>
    ASHLAR_ALWAYS_INLINE constexpr one_or_two(Height height, Width width)
        : count(2), first(static_cast<std::size_t>(height)), second(static_cast<std::size_t>(width)) {}
};

}  // namespace ashlar
