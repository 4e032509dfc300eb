// SPDX-License-Identifier: BSL-1.0
// Views: tensors over memory of another owner, contiguous or at static strides.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/element_index.hpp>
#include <ashlar/tensor/explained_members.hpp>
#include <ashlar/tensor/memory_range.hpp>
#include <ashlar/tensor/strided_iterator.hpp>

namespace ashlar::inline v0_1 {

template <class Element, auto... Dims>
struct basic_tensor;
template <class Element, auto... Dims>
struct basic_view;
template <class Element, auto Strides, auto... Dims>
struct strided_view;

namespace detail {

/// Whether a type can be the element of a view.
template <class Element>
struct view_element {
    static constexpr bool allowed = any_element<Element>;
};

/// Whether memory of one element type can be viewed as another: the same type, and const is only added.
template <class From, class To>
struct viewed_element {
    static constexpr bool matches = std::is_same_v<std::remove_const_t<From>, std::remove_const_t<To>> &&
                                    (std::is_const_v<To> || !std::is_const_v<From>);
};

/// Whether memory has as many elements as the view over it.
template <std::size_t Given, std::size_t Expected>
struct memory_extent {
    static constexpr bool matches = Given == Expected;
};

/// Whether two views have the same shape.
template <class View, class Source>
struct viewed_shape {
    static constexpr bool matches = shapes_agree<View, Source>();
};

template <class Array>
inline constexpr bool is_tensor = false;
template <class Element, auto... Dims>
inline constexpr bool is_tensor<basic_tensor<Element, Dims...>> = true;

/// A type that owns its elements, so that a view of a temporary would dangle.
template <class Array>
concept owner = is_tensor<Array> || (memory_range<Array> && !borrowed_memory<Array>);

/// The arguments of `view_of`, as the type of a forwarding reference.
template <class Array>
inline constexpr bool viewable =
    array_expression<Array> && (std::is_lvalue_reference_v<Array> || !owner<std::remove_cv_t<Array>>);

template <class Element, class Shape>
struct contiguous_view;
template <class Element, auto... Dims>
struct contiguous_view<Element, shape<Dims...>> {
    using type = basic_view<Element, Dims...>;
};

template <class Element, class Shape, auto Strides>
struct noncontiguous_view;
template <class Element, auto... Dims, auto Strides>
struct noncontiguous_view<Element, shape<Dims...>, Strides> {
    using type = strided_view<Element, Strides, Dims...>;
};

/// A view of a shape at strides (in elements): a basic_view if they are row-major, else a strided_view.
template <class Element, class Shape, auto Strides>
constexpr auto make_view(Element* data) noexcept {
    if constexpr (is_row_major(Shape::extents, Strides))
        return typename contiguous_view<Element, Shape>::type(data);
    else
        return typename noncontiguous_view<Element, Shape, Strides>::type(data);
}

/// A view of a shape in dense memory.
template <class Element, class Shape>
using dense_view = typename contiguous_view<Element, Shape>::type;

/// Whether there is an axis to index.
template <std::size_t Rank>
struct indexed_rank {
    static constexpr bool has_an_axis = Rank != 0;
};

/// The sub-view at an index of the first axis; at rank 1, a reference to the element.
template <class Config, class Array, class Element, class Index>
constexpr decltype(auto) sub_view(Element* data, const Index& index) noexcept {
    constexpr std::size_t rank = Array::shape_type::rank;
    static_assert(indexed_rank<rank>::has_an_axis,
                  "ashlar: indexing: a tensor of rank 0 has no axis to index; t() is its element");
    static_assert(index_types<Index>::are_integers, "ashlar: indexing: an index must be an integer; convert it first");
    if constexpr (rank == 0 || !index_types<Index>::are_integers) {
        return (*data);
    } else {
        Element* const at = data + checked_index<Config>(index, Array::extents[0]) * Array::strides[0];
        if constexpr (rank == 1)
            return (*at);
        else
            return make_view<Element, decltype(without_axis<typename Array::shape_type, 0, false>()),
                             without_first(Array::strides)>(at);
    }
}

}  // namespace detail

/// A row-major tensor over contiguous memory of the caller, aligned at least as Element. Element may be const. A view
/// is as cheap as a pointer and is shallow: a const view of non-const elements writes. Copying one copies the pointer;
/// assigning to one writes elements.
///
///     std::vector<float> samples(256);
///     tensor_view<float, 4, 64> frames{samples};   // checks the size
///     frames[0] = frames[1];                       // copies 64 elements
template <class Element, auto... Dims>
struct ASHLAR_POINTER(Element) basic_view : detail::explained_members<basic_view<Element, Dims...>> {
    static_assert(detail::view_element<Element>::allowed,
                  "ashlar: view: elements must be bool, integers or floating-point numbers");
    static_assert(detail::tensor_extents<sizeof(Element), Dims...>::valid,
                  "ashlar: view: every extent must be at least 1 and the size addressable");

    using value_type = std::remove_const_t<Element>;
    using element_type = Element;
    using shape_type = shape<Dims...>;
    using expression_category = array_category;

    static constexpr std::integral_constant<std::size_t, shape_type::rank> rank{};
    static constexpr std::array<std::size_t, shape_type::rank> extents = shape_type::extents;
    static constexpr detail::element_count<shape_type::size> size{};
    static constexpr std::array<std::ptrdiff_t, shape_type::rank> strides = detail::row_major_strides(extents);

    /// The first element. Public only so that views are structural types.
    Element* elements;

    /// Over `size` elements from a pointer.
    template <class Pointer>
        requires std::is_pointer_v<Pointer>
    ASHLAR_ALWAYS_INLINE constexpr explicit basic_view(const Pointer& pointer) noexcept
        : elements(checked<std::remove_pointer_t<Pointer>>(pointer)) {}

    /// Over a C array of `size` elements.
    template <class Other, std::size_t Extent>
    ASHLAR_ALWAYS_INLINE constexpr basic_view(Other (&array)[Extent]) noexcept
        : elements(checked<Other, Extent>(array)) {}

    /// Over a std::array, std::span or other contiguous range of `size` elements; a size that the type does not state
    /// is asserted.
    template <detail::memory_range Range, class Config = current_config>
    constexpr explicit(detail::range_extent<Range>() == detail::unknown_extent) basic_view(Range& range) noexcept
        : elements(
              checked<std::remove_pointer_t<decltype(range.data())>, detail::range_extent<Range>()>(range.data())) {
        ASHLAR_ASSERT(static_cast<std::size_t>(range.size()) == size,
                      "ashlar: view: the memory must have as many elements as the view");
    }
    template <detail::borrowed_memory Range, class Config = current_config>
    constexpr explicit(detail::range_extent<Range>() == detail::unknown_extent) basic_view(const Range&& range) noexcept
        : basic_view(range) {}
    template <detail::owner Range>
    basic_view(const Range&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    template <detail::foreign_matrix Matrix>
    basic_view(  // ashlar: view: a foreign matrix may be column-major; transpose(tensor_view<float, 3, 2>{m.data()})
        const Matrix&) = delete;

    template <node_expression Expression>
    basic_view(const Expression&) = delete;  // ashlar: view: an expression has no memory; make a tensor of it first

    /// Over a tensor of the same shape (names may be added or dropped).
    template <class Other, auto... OtherDims>
    constexpr basic_view(basic_tensor<Other, OtherDims...>& tensor) noexcept
        : elements(checked<Other, size, shape<OtherDims...>>(tensor.data())) {}
    template <class Other, auto... OtherDims>
    constexpr basic_view(const basic_tensor<Other, OtherDims...>& tensor) noexcept
        : elements(checked<const Other, size, shape<OtherDims...>>(tensor.data())) {}

    /// Another view of the same elements: const is added, names are added or dropped.
    template <class Other, auto... OtherDims>
    constexpr basic_view(const basic_view<Other, OtherDims...>& other) noexcept
        : elements(checked<Other, size, shape<OtherDims...>>(other.data())) {}

    constexpr basic_view(const basic_view&) noexcept = default;

    /// Writes the elements of an expression of the same shape; the two may overlap.
    template <any_expression Expression, class Config = current_config>
    constexpr const basic_view& operator=(const Expression& source) const noexcept {
        if constexpr (detail::check_assignment<basic_view, Expression>()) {
            basic_view destination = *this;
            detail::assignment<basic_view, Expression, Config>::run(destination, source);
        }
        return *this;
    }
    ASHLAR_ALWAYS_INLINE constexpr const basic_view& operator=(const basic_view& other) const noexcept {
        return operator= <basic_view, current_config>(other);
    }

    const basic_view& operator=(detail::refused_range) const;
    const basic_view& operator=(detail::refused_matrix) const;

    /// Sets every element to a value.
    template <any_element Other, class Config = current_config>
    constexpr const basic_view& operator=(Other value) const noexcept {
        basic_view destination = *this;
        detail::assign_value<Config>(destination, value);
        return *this;
    }

    /// The element at one index for each axis; each must be at least 0 and less than the extent (asserted).
    template <class Config = current_config, class... Index>
    constexpr Element& operator()(const Index&... indices) const noexcept {
        return elements[detail::offset_of<Config, basic_view>(indices...)];
    }

    /// The sub-view at an index of the first axis; at rank 1 a reference to the element.
    template <class Config = current_config, class Index>
    constexpr decltype(auto) operator[](const Index& index) const noexcept {
        return detail::sub_view<Config, basic_view>(elements, index);
    }

    constexpr Element* data() const noexcept { return elements; }
    /// All elements in row-major order.
    constexpr Element* begin() const noexcept { return elements; }
    constexpr Element* end() const noexcept { return elements + size(); }

    /// A view of rank 0 converts to its element.
    ASHLAR_ALWAYS_INLINE constexpr operator value_type() const noexcept
        requires(sizeof...(Dims) == 0)
    {
        return *elements;
    }

private:
    template <class Other, std::size_t Extent = shape_type::size, class Shape = shape_type>
    static constexpr Element* checked(Other* data) noexcept {
        static_assert(
            detail::viewed_element<Other, Element>::matches,
            "ashlar: view: the memory must be of the view's element type; const memory needs a view of const elements");
        static_assert(Extent == detail::unknown_extent || detail::memory_extent<Extent, shape_type::size>::matches,
                      "ashlar: view: the memory must have as many elements as the view; a pointer views part of it");
        static_assert(detail::viewed_shape<shape_type, Shape>::matches,
                      "ashlar: view: a view must have the shape of what it views; use reshape or rename");
        if constexpr (detail::viewed_element<Other, Element>::matches)
            return data;
        else
            return nullptr;
    }
};

/// A view over the caller's contiguous memory: a `basic_view` whose integer dimensions are std::size_t.
///
///     float samples[6]{};
///     tensor_view<float, 2, 3> rows{samples};
///     rows(1, 2) = 1;   // samples[5]
template <class Element, auto... Dims>
using tensor_view = basic_view<Element, detail::canonical(Dims)...>;

/// A view with static strides, in elements, such as a slice or transpose of a tensor. Otherwise it is like
/// `basic_view`. Strides is a std::array<std::ptrdiff_t, rank>; Dims are std::size_t or axes, one for each stride; the
/// argument points to the element at index zero of every axis. A stride of 0 repeats elements along its axis, which can
/// then be read but not assigned; one may be negative. Nothing checks that the memory is large enough.
///
///     tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
///     constexpr std::array<std::ptrdiff_t, 2> strides{1, 3};   // to the next row of the view, to its next column
///     strided_view<float, strides, std::size_t{3}, std::size_t{2}> columns{t.data()};   // columns(2, 0) is 3
template <class Element, auto Strides, auto... Dims>
struct ASHLAR_POINTER(Element) strided_view : detail::explained_members<strided_view<Element, Strides, Dims...>> {
    static_assert(detail::view_element<Element>::allowed,
                  "ashlar: view: elements must be bool, integers or floating-point numbers");
    static_assert(detail::tensor_extents<sizeof(Element), Dims...>::valid,
                  "ashlar: view: every extent must be at least 1 and the size addressable");

    using value_type = std::remove_const_t<Element>;
    using element_type = Element;
    using shape_type = shape<Dims...>;
    using expression_category = array_category;

    static constexpr std::integral_constant<std::size_t, shape_type::rank> rank{};
    static constexpr std::array<std::size_t, shape_type::rank> extents = shape_type::extents;
    static constexpr detail::element_count<shape_type::size> size{};
    static constexpr std::array<std::ptrdiff_t, shape_type::rank> strides = Strides;

    /// The element at index zero of every axis. Public only so that views are structural types.
    Element* elements;

    ASHLAR_ALWAYS_INLINE constexpr explicit strided_view(Element* pointer) noexcept : elements(pointer) {}
    constexpr strided_view(const strided_view&) noexcept = default;
    /// A view of const elements.
    template <class Other>
        requires(std::is_const_v<Element> && std::is_same_v<const Other, Element>)
    ASHLAR_ALWAYS_INLINE constexpr strided_view(const strided_view<Other, Strides, Dims...>& other) noexcept
        : elements(other.data()) {}

    /// Writes the elements of an expression of the same shape; the two may overlap.
    template <any_expression Expression, class Config = current_config>
    constexpr const strided_view& operator=(const Expression& source) const noexcept {
        if constexpr (detail::check_assignment<strided_view, Expression>()) {
            strided_view destination = *this;
            detail::assignment<strided_view, Expression, Config>::run(destination, source);
        }
        return *this;
    }
    ASHLAR_ALWAYS_INLINE constexpr const strided_view& operator=(const strided_view& other) const noexcept {
        return operator= <strided_view, current_config>(other);
    }

    const strided_view& operator=(detail::refused_memory) const;
    const strided_view& operator=(detail::refused_matrix) const;

    /// Sets every element to a value.
    template <any_element Other, class Config = current_config>
    constexpr const strided_view& operator=(Other value) const noexcept {
        strided_view destination = *this;
        detail::assign_value<Config>(destination, value);
        return *this;
    }

    /// The element at one index for each axis; each must be at least 0 and less than the extent (asserted).
    template <class Config = current_config, class... Index>
    constexpr Element& operator()(const Index&... indices) const noexcept {
        return elements[detail::offset_of<Config, strided_view>(indices...)];
    }

    /// The sub-view at an index of the first axis; at rank 1 a reference to the element.
    template <class Config = current_config, class Index>
    constexpr decltype(auto) operator[](const Index& index) const noexcept {
        return detail::sub_view<Config, strided_view>(elements, index);
    }

    /// The element at index zero of every axis.
    constexpr Element* data() const noexcept { return elements; }
    /// All elements in row-major order of their indices.
    template <class Config = current_config>
    constexpr auto begin() const noexcept {
        return detail::strided_iterator<strided_view, Config>{elements, 0};
    }
    template <class Config = current_config>
    constexpr auto end() const noexcept {
        return begin<Config>() + static_cast<std::ptrdiff_t>(size());
    }
};

/// A view of all of a tensor, which must not be a temporary; of a view, its copy.
///
///     auto v = view_of(t);   // tensor_view<float, 2, 3>
template <class Array>
    requires detail::viewable<Array>
constexpr auto view_of(Array&& array) noexcept {
    using element_type = std::remove_pointer_t<decltype(array.data())>;
    return detail::make_view<element_type, shape_of<Array>, std::remove_cvref_t<Array>::strides>(array.data());
}
template <detail::owner Array>
Array& view_of(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

}  // namespace ashlar
