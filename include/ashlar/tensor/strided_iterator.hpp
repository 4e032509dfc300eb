// SPDX-License-Identifier: BSL-1.0
// Iteration in row-major order over elements at static strides.
#pragma once

#include <compare>
#include <cstddef>

namespace ashlar::inline v0_1::detail {

/// A random access iterator over a strided view: it counts, and computes the offset by division by constants. Config
/// keeps the code of builds with different flags apart.
template <class View, class Config>
struct strided_iterator {
    // No iterator_category: std::iterator_traits deduces it, and <iterator> would double the cost of this header.
    using difference_type = std::ptrdiff_t;
    using value_type = typename View::value_type;
    using pointer = typename View::element_type*;
    using reference = typename View::element_type&;

    pointer base = nullptr;
    difference_type position = 0;

    static constexpr difference_type offset(difference_type at) noexcept {
        auto left = static_cast<std::size_t>(at);
        difference_type result = 0;
        for (std::size_t i = View::shape_type::rank; i-- > 0;) {
            result += static_cast<difference_type>(left % View::extents[i]) * View::strides[i];
            left /= View::extents[i];
        }
        return result;
    }

    constexpr reference operator*() const noexcept { return base[offset(position)]; }
    constexpr pointer operator->() const noexcept { return base + offset(position); }
    constexpr reference operator[](difference_type n) const noexcept { return base[offset(position + n)]; }

    constexpr strided_iterator& operator+=(difference_type n) noexcept {
        position += n;
        return *this;
    }
    constexpr strided_iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    constexpr strided_iterator& operator++() noexcept { return *this += 1; }
    constexpr strided_iterator& operator--() noexcept { return *this -= 1; }
    constexpr strided_iterator operator++(int) noexcept { return {base, position++}; }
    constexpr strided_iterator operator--(int) noexcept { return {base, position--}; }

    friend constexpr strided_iterator operator+(strided_iterator i, difference_type n) noexcept { return i += n; }
    friend constexpr strided_iterator operator+(difference_type n, strided_iterator i) noexcept { return i += n; }
    friend constexpr strided_iterator operator-(strided_iterator i, difference_type n) noexcept { return i -= n; }
    friend constexpr difference_type operator-(strided_iterator a, strided_iterator b) noexcept {
        return a.position - b.position;
    }
    friend constexpr bool operator==(strided_iterator a, strided_iterator b) noexcept {
        return a.position == b.position;
    }
    friend constexpr auto operator<=>(strided_iterator a, strided_iterator b) noexcept {
        return a.position <=> b.position;
    }
};

}  // namespace ashlar::detail
