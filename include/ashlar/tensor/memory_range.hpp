// SPDX-License-Identifier: BSL-1.0
// Memory that views can stand over: any range with data() and size(), known without including <span> or <vector>.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>

namespace ashlar::detail {

inline constexpr std::size_t unknown_extent = static_cast<std::size_t>(-1);

/// The number of elements that a range's type states (std::array, std::span), unknown_extent if none.
template <class Range>
consteval std::size_t range_extent() {
    if constexpr (requires { std::tuple_size<Range>::value; })
        return std::tuple_size<Range>::value;
    else if constexpr (requires { std::size_t{Range::extent}; })
        return Range::extent;
    else
        return unknown_extent;
}

/// Elements in memory that are not ours: std::array, std::span, std::vector and the like.
template <class Range>
concept memory_range = !any_expression<Range> && requires(Range& r) {
    requires any_element<std::remove_pointer_t<decltype(r.data())>>;
    requires std::is_integral_v<decltype(r.size())>;
};

/// A range that does not own its elements, so that a temporary of it can be viewed: std::span.
template <class Range>
concept borrowed_memory = memory_range<Range> && requires { std::size_t{Range::extent}; };

}  // namespace ashlar::detail
