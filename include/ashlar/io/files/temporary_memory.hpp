// SPDX-License-Identifier: BSL-1.0
// Memory that ends with the statement it was made in.
#pragma once

#include <concepts>
#include <ranges>
#include <string_view>
#include <type_traits>

namespace ashlar::inline v0_1::detail {

/// The type of a forwarding reference to a temporary that owns its bytes: a std::vector or std::array, but no
/// std::span, and no std::string, which is a path.
template <class Range>
concept temporary_memory = !std::is_lvalue_reference_v<Range> && std::ranges::contiguous_range<Range> &&
                           !std::ranges::enable_borrowed_range<std::remove_cv_t<Range>> &&
                           !std::convertible_to<const Range&, std::string_view>;

}  // namespace ashlar::detail
