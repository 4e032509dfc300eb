// SPDX-License-Identifier: BSL-1.0
// Extents in the options of modules: integers or axes.
#pragma once

#include <cstddef>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::nn {

/// An extent in the options of a module, from an integer or from an axis.
///
///     inline constexpr axis<"embed", 64> embed;
///     nn::linear<{.in = embed, .out = 10}> head;
struct width {
    std::size_t value = 0;

    constexpr width() = default;
    /// From an integer that is not negative, or from an axis.
    template <any_dimension Dimension>
    ASHLAR_ALWAYS_INLINE constexpr width(Dimension d) : value(extent_from(d)) {}
    ASHLAR_ALWAYS_INLINE constexpr operator std::size_t() const { return value; }

private:
    template <class Dimension>
    static constexpr std::size_t extent_from(Dimension d) {
        if constexpr (ashlar::detail::is_axis<Dimension>)
            return Dimension::extent;
        else
            return static_cast<std::size_t>(d);
    }
};

namespace detail {

/// An option, or its default if it is not given.
constexpr std::size_t given_or(width option, std::size_t otherwise) {
    return option.value != 0 ? option.value : otherwise;
}

}  // namespace detail
}  // namespace ashlar::nn
