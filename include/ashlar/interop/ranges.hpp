// SPDX-License-Identifier: BSL-1.0
// Ranges of the standard library: the rows of an array, its elements as a span, and tensors made of ranges.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether an array has rows.
template <class Shape>
struct rows_rank {
    static constexpr bool has_rows = Shape::rank >= 2;
};

/// A random access iterator over the sub-views along the first axis. It holds a pointer, and makes a view when it is
/// dereferenced. Config keeps the code of builds with different flags apart.
template <class View, class Config>
struct row_iterator {
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;  // what * gives is no reference
    using difference_type = std::ptrdiff_t;
    using value_type = std::remove_cvref_t<decltype(std::declval<const View&>()[0])>;

    // No element_type: the standard's concepts take it for another value_type.
    typename View::element_type* base = nullptr;
    difference_type position = 0;

    constexpr value_type operator*() const noexcept { return (*this)[0]; }
    constexpr value_type operator[](difference_type n) const noexcept {
        return value_type(base + (position + n) * View::strides[0]);
    }

    constexpr row_iterator& operator+=(difference_type n) noexcept {
        position += n;
        return *this;
    }
    constexpr row_iterator& operator-=(difference_type n) noexcept { return *this += -n; }
    constexpr row_iterator& operator++() noexcept { return *this += 1; }
    constexpr row_iterator& operator--() noexcept { return *this -= 1; }
    constexpr row_iterator operator++(int) noexcept { return {base, position++}; }
    constexpr row_iterator operator--(int) noexcept { return {base, position--}; }

    friend constexpr row_iterator operator+(row_iterator i, difference_type n) noexcept { return i += n; }
    friend constexpr row_iterator operator+(difference_type n, row_iterator i) noexcept { return i += n; }
    friend constexpr row_iterator operator-(row_iterator i, difference_type n) noexcept { return i -= n; }
    friend constexpr difference_type operator-(row_iterator a, row_iterator b) noexcept {
        return a.position - b.position;
    }
    friend constexpr bool operator==(row_iterator a, row_iterator b) noexcept { return a.position == b.position; }
    friend constexpr auto operator<=>(row_iterator a, row_iterator b) noexcept { return a.position <=> b.position; }
};

/// The number of elements that the type of a range tells; unknown_extent if it does not.
template <class Range>
consteval std::size_t stated_extent() {
    if constexpr (std::is_bounded_array_v<Range>)
        return std::extent_v<Range>;
    else if constexpr (any_expression<Range>)
        return shape_of<Range>::size;
    else if constexpr (range_extent<Range>() == std::dynamic_extent)
        return unknown_extent;
    else
        return range_extent<Range>();
}

/// Whether a range can have as many elements as a tensor.
template <std::size_t Given, std::size_t Expected>
struct range_count {
    static constexpr bool matches = Given == unknown_extent || Given == Expected;
};

template <class Range, class Element>
struct range_element {
    static constexpr bool converts =
        std::is_convertible_v<std::ranges::range_reference_t<Range>, Element> ||
        (is_narrow<Element> && std::is_convertible_v<std::ranges::range_reference_t<Range>, float>);
};

}  // namespace detail

/// The rows of an array as a random access range of views: `t[0]`, `t[1]` and so on along its first axis. The rows of a
/// tensor of rank 3 are matrices. The range is a std::ranges::view, as cheap as a pointer. A write through a row writes
/// the array, which must outlive the range.
///
///     tensor<float, 4, 8> t{};
///     for (auto row : rows(t)) row /= sum(row);
///     auto best = std::ranges::max_element(rows(t), {}, [](auto row) { return float(max(row)); });
template <class View, class Config = current_config>
struct row_range : std::ranges::view_interface<row_range<View, Config>> {
    constexpr row_range() = default;
    /// Over the array of this view's type at an address.
    constexpr explicit row_range(typename View::element_type* data) noexcept : first(data) {}

    constexpr auto begin() const noexcept { return detail::row_iterator<View, Config>{first, 0}; }
    constexpr auto end() const noexcept {
        return detail::row_iterator<View, Config>{first, static_cast<std::ptrdiff_t>(View::extents[0])};
    }
    /// The number of rows.
    static constexpr std::size_t size() noexcept { return View::extents[0]; }

private:
    typename View::element_type* first = nullptr;
};

/// The `row_range` of a named tensor or of a view of at least two axes. Example: `row_range`.
template <class Array, class Config = current_config>
    requires detail::viewable<Array>
[[nodiscard]] constexpr auto rows(Array&& array) noexcept {
    static_assert(detail::rows_rank<shape_of<Array>>::has_rows,
                  "ashlar: rows: an array has rows if it has two axes or more; iterate over its elements");
    using view = decltype(view_of(array));
    return row_range<view, Config>(array.data());
}
template <detail::owner Array>
Array& rows(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

/// The elements of a named tensor or a contiguous view as a std::span of fixed extent, in row-major order.
///
///     tensor<float, 4, 8> t{};
///     std::span<float, 32> samples = span_of(t);
template <class Array>
    requires(detail::viewable<Array> && std::contiguous_iterator<decltype(std::declval<Array&>().begin())>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto span_of(Array&& array) noexcept {
    return std::span<std::remove_pointer_t<decltype(array.data())>, shape_of<Array>::size>(array.data(),
                                                                                           shape_of<Array>::size);
}
template <detail::owner Array>
Array& span_of(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

/// Writes the elements of a range, converted, to an array in row-major order. False if the range has fewer or more of
/// them; of a range that knows its size then nothing is written. A size in the range's type, as that of std::array, is
/// checked by the compiler. The range must not overlap the array.
///
///     tensor<float, 2, 3> t{};
///     bool fits = assign_range(t, std::views::iota(0, 6));
template <class Array, std::ranges::input_range Range, class Config = current_config>
    requires array_expression<Array>
[[nodiscard]] constexpr bool assign_range(Array&& array, Range&& range) {
    using element_type = typename std::remove_cvref_t<Array>::value_type;
    constexpr std::size_t size = shape_of<Array>::size;
    static_assert(detail::range_count<detail::stated_extent<std::remove_cvref_t<Range>>(), size>::matches,
                  "ashlar: ranges: the range must have as many elements as the tensor");
    static_assert(detail::range_element<Range, element_type>::converts,
                  "ashlar: ranges: the range's elements must convert to those of the tensor");
    if constexpr (detail::range_element<Range, element_type>::converts) {
        if constexpr (std::ranges::sized_range<Range>)
            if (static_cast<std::size_t>(std::ranges::size(range)) != size) return false;
        auto from = std::ranges::begin(range);
        const auto end = std::ranges::end(range);
        for (auto to = array.begin(), last = array.end(); to != last; ++to, ++from) {
            if (from == end) return false;
            *to = static_cast<element_type>(*from);
        }
        return from == end;
    }
    return false;
}

/// A tensor of the elements of a range, converted, in row-major order; std::nullopt if there are fewer or more of them.
/// The size in a range's type is checked by the compiler. A range of a type that knows its size needs no `if`.
///
///     std::vector<double> numbers(6, 0.5);
///     if (auto t = from_range<float, 2, 3>(numbers)) *t *= 2.0f;
template <class Element, auto... Dims, std::ranges::input_range Range, class Config = current_config>
[[nodiscard]] constexpr std::optional<tensor<Element, Dims...>> from_range(Range&& range) {
    std::optional<tensor<Element, Dims...>> result(std::in_place);
    if (!assign_range<tensor<Element, Dims...>&, Range, Config>(*result, std::forward<Range>(range))) result.reset();
    return result;
}

}  // namespace ashlar

// Iterators of views stay valid without the view.
template <class Element, auto... Dims>
inline constexpr bool std::ranges::enable_borrowed_range<ashlar::basic_view<Element, Dims...>> = true;
template <class Element, auto Strides, auto... Dims>
inline constexpr bool std::ranges::enable_borrowed_range<ashlar::strided_view<Element, Strides, Dims...>> = true;
template <class View, class Config>
inline constexpr bool std::ranges::enable_borrowed_range<ashlar::row_range<View, Config>> = true;
