// SPDX-License-Identifier: BSL-1.0
// The tensor: owning, dense, row-major storage whose shape is part of its type.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/element_index.hpp>
#include <ashlar/tensor/explained_members.hpp>
#include <ashlar/tensor/memory_range.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether a tensor can hold elements of a type.
template <class Element>
struct tensor_element {
    static constexpr bool allowed = any_element<Element> && !std::is_const_v<Element> && !std::is_volatile_v<Element>;
};

/// Any braces or value: catches arguments that the constructors for the tensor's rank refuse, to report one error.
struct any_braces {
    any_braces(long double);
    any_braces(std::initializer_list<any_braces>);
};

/// Whether nested braces match a shape.
template <class Shape, std::size_t... Given>
struct braces_of {
    static constexpr bool match = false;
};

/// The first of the extents that is not the expected one, else the expected one.
consteval std::size_t first_mismatch(std::size_t expected, std::initializer_list<std::size_t> given) {
    for (const std::size_t extent : given)
        if (extent != expected) return extent;
    return expected;
}

/// Whether every extent of a level of braces is that of the axis it fills; an error if not.
template <class Shape, std::size_t Axis, std::size_t... Given>
consteval bool braces_fill() {
    constexpr std::size_t expected = Shape::extents[Axis], given = first_mismatch(expected, {Given...});
    if constexpr (Axis + 1 == Shape::rank)
        static_assert(
            brace_extent<given, expected>::matches,
            "ashlar: tensor: each row in braces must have as many values as the axis it fills; add or remove values");
    else
        static_assert(brace_extent<given, expected>::matches,
                      "ashlar: tensor: braces must have as many rows as the axis they fill; add or remove rows");
    return given == expected;
}

/// Zeros for a tensor with a refused value: uninitialised, it would be a second error in a constant expression.
template <class Config, class Element, std::size_t Extent>
constexpr void clear(Element (&values)[Extent]) noexcept {
    for (Element& value : values) value = Element{};
}

template <class Config, class Element, std::size_t Extent>
constexpr Element* copy_braces(const Element (&values)[Extent], Element* to) noexcept {
    for (const Element& value : values) *to++ = value;
    return to;
}
/// The values in braces of f16 and bf16 tensors are floats.
template <class Config, class Element, std::size_t Extent>
    requires is_narrow<Element>
constexpr Element* copy_braces(const float (&values)[Extent], Element* to) noexcept {
    for (const float value : values) *to++ = static_cast<Element>(value);
    return to;
}
template <class Config, class Element, std::size_t Extent, std::size_t InnerExtent>
constexpr Element* copy_braces(const computed<Element> (&rows)[Extent][InnerExtent], Element* to) noexcept {
    for (const auto& row : rows) to = copy_braces<Config>(row, to);
    return to;
}
template <class Config, class Element, std::size_t Extent, std::size_t InnerExtent, std::size_t InnermostExtent>
constexpr Element* copy_braces(const computed<Element> (&blocks)[Extent][InnerExtent][InnermostExtent],
                               Element* to) noexcept {
    for (const auto& block : blocks) to = copy_braces<Config>(block, to);
    return to;
}

}  // namespace detail

/// An owning tensor of rank 0 (a scalar) to any: dense, row-major, trivially copyable, without padding
/// (`sizeof == size * sizeof(Element)`), usable in constant expressions and as a template argument. Its alignment is
/// the largest power of two, at most 64, that divides its bytes. As with std::array, `tensor<...> t;` is uninitialised
/// and `tensor<...> t{};` is zero. Write `tensor<Element, Dims...>`; templates deduce through basic_tensor.
///
///     tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
///     t(0, 2) = 7;
///     t[1] = t[0];   // writes the second row
template <class Element, auto... Dims>
struct ASHLAR_OWNER(Element) basic_tensor : detail::explained_members<basic_tensor<Element, Dims...>> {
    static_assert(detail::tensor_element<Element>::allowed,
                  "ashlar: tensor: elements must be bool, integers or floating-point numbers, and not const; a view "
                  "may be of const ones");
    static_assert(detail::tensor_extents<sizeof(Element), Dims...>::valid,
                  "ashlar: tensor: every extent must be at least 1 and the size addressable");

    using value_type = Element;
    using element_type = Element;
    using shape_type = shape<Dims...>;
    using expression_category = array_category;

    static constexpr std::integral_constant<std::size_t, shape_type::rank> rank{};
    static constexpr std::array<std::size_t, shape_type::rank> extents = shape_type::extents;
    /// The number of elements: `Element::size` and `t.size()`.
    static constexpr detail::element_count<shape_type::size> size{};
    /// Row-major strides in elements.
    static constexpr std::array<std::ptrdiff_t, shape_type::rank> strides = detail::row_major_strides(extents);

    /// The elements in row-major order. Public only so that tensors are structural types.
    alignas(detail::alignment_for(shape_type::size * sizeof(Element),
                                  alignof(Element))) Element elements[shape_type::size];

    /// The type of values in braces: float for f16 and bf16.
    using brace_element = detail::computed<Element>;

    basic_tensor() = default;
    basic_tensor(const basic_tensor&) = default;
    basic_tensor& operator=(const basic_tensor&) = default;

    /// From all values in row-major order; explicit unless the rank is 1 (or 0).
    // Only the first type is constrained: clang refuses a constraint on more than 256 of them.
    template <any_element First, class... Rest, class Config = current_config>
    constexpr explicit(sizeof...(Dims) > 1 || (sizeof...(Dims) == 1 && sizeof...(Rest) == 0))
        basic_tensor(First first, Rest... rest) noexcept {
        static_assert(detail::brace_extent<1 + sizeof...(Rest), shape_type::size>::matches,
                      "ashlar: tensor: flat braces must have as many values as the tensor has elements; zeros<> or "
                      "full<> make constant ones");
        if constexpr (1 + sizeof...(Rest) == shape_type::size) {
            const Element given[]{detail::element_cast<Config, Element>(first),
                                  detail::element_cast<Config, Element>(rest)...};
            detail::copy_braces<Config>(given, elements);
        } else {
            detail::clear<Config>(elements);
        }
    }

    /// From a C array or doubled braces, at rank 1.
    template <std::size_t Extent, class Config = current_config>
        requires(sizeof...(Dims) == 1)
    constexpr explicit basic_tensor(const brace_element (&values)[Extent]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, Extent>())
            detail::copy_braces<Config>(values, elements);
        else
            detail::clear<Config>(elements);
    }

    /// From nested braces, one level per axis; up to rank 4.
    template <std::size_t... Extent, class Config = current_config>
        requires(sizeof...(Dims) == 2 && sizeof...(Extent) > 0)
    constexpr basic_tensor(const brace_element (&... rows)[Extent]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(Extent)>())
            if constexpr (detail::braces_fill<shape_type, 1, Extent...>()) {
                Element* to = elements;
                [[maybe_unused]] Element* const ends[]{to = detail::copy_braces<Config>(rows, to)...};
                return;
            }
        detail::clear<Config>(elements);
    }
    template <std::size_t... Extent, std::size_t... InnerExtent, class Config = current_config>
        requires(sizeof...(Dims) == 3 && sizeof...(Extent) > 0)
    constexpr basic_tensor(const brace_element (&... blocks)[Extent][InnerExtent]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(Extent)>())
            if constexpr (detail::braces_fill<shape_type, 1, Extent...>())
                if constexpr (detail::braces_fill<shape_type, 2, InnerExtent...>()) {
                    Element* to = elements;
                    [[maybe_unused]] Element* const ends[]{to = detail::copy_braces<Config>(blocks, to)...};
                    return;
                }
        detail::clear<Config>(elements);
    }
    template <std::size_t... Extent, std::size_t... InnerExtent, std::size_t... InnermostExtent,
              class Config = current_config>
        requires(sizeof...(Dims) == 4 && sizeof...(Extent) > 0)
    constexpr basic_tensor(const brace_element (&... blocks)[Extent][InnerExtent][InnermostExtent]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(Extent)>())
            if constexpr (detail::braces_fill<shape_type, 1, Extent...>())
                if constexpr (detail::braces_fill<shape_type, 2, InnerExtent...>())
                    if constexpr (detail::braces_fill<shape_type, 3, InnermostExtent...>()) {
                        Element* to = elements;
                        [[maybe_unused]] Element* const ends[]{to = detail::copy_braces<Config>(blocks, to)...};
                        return;
                    }
        detail::clear<Config>(elements);
    }
    template <std::size_t... Extent, class Config = current_config>
        requires(sizeof...(Extent) > 0)
    constexpr basic_tensor([[maybe_unused]] const detail::any_braces (&... braces)[Extent]) noexcept {
        static_assert(detail::braces_of<shape_type, Extent...>::match,
                      "ashlar: tensor: nested braces must have one level for each axis and rows of one length; beyond "
                      "rank 4 use flat braces or generate<>");
        detail::clear<Config>(elements);
    }

    /// Evaluates an expression of the same shape and element type.
    template <any_expression Expression, class Config = current_config>
    constexpr basic_tensor(const Expression& source) noexcept {
        if constexpr (detail::check_assignment<basic_tensor, Expression>())
            detail::assignment<basic_tensor, Expression, Config>::template run<detail::destination_memory::fresh>(
                *this, source);
        else
            detail::clear<Config>(elements);
    }
    /// Evaluates an expression of the same shape and element type, in which this tensor may occur.
    template <any_expression Expression, class Config = current_config>
    constexpr basic_tensor& operator=(const Expression& source) noexcept {
        if constexpr (detail::check_assignment<basic_tensor, Expression>())
            detail::assignment<basic_tensor, Expression, Config>::run(*this, source);
        return *this;
    }

    template <detail::foreign_memory Memory>
    basic_tensor(  // ashlar: tensor: memory has no shape; write tensor_view<float, 2, 3>{memory}
        const Memory&) = delete;
    template <detail::foreign_memory Matrix>
        requires detail::foreign_matrix<Matrix>
    basic_tensor(  // ashlar: view: a foreign matrix may be column-major; transpose(tensor_view<float, 3, 2>{m.data()})
        const Matrix&) = delete;
    /// Sets every element to a value.
    template <any_element Other, class Config = current_config>
    constexpr basic_tensor& operator=(Other value) noexcept {
        detail::assign_value<Config>(*this, value);
        return *this;
    }
    /// Reports assignment to a const tensor.
    template <class Other>
        requires(any_expression<Other> || any_element<Other>)
    constexpr const basic_tensor& operator=(const Other&) const noexcept {
        static_assert(
            detail::assigned_destination<const basic_tensor>::writable,
            "ashlar: assignment: a const tensor, a view of const elements or of a broadcast cannot be written; "
            "make a tensor");
        return *this;
    }

    /// The element at one index for each axis; each must be at least 0 and less than the extent (asserted).
    template <class Config = current_config, class... Index>
    constexpr Element& operator()(const Index&... indices) & noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }
    template <class Config = current_config, class... Index>
    constexpr const Element& operator()(const Index&... indices) const& noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }
    /// For a temporary, the value.
    template <class Config = current_config, class... Index>
    constexpr Element operator()(const Index&... indices) const&& noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }

    /// The sub-view at an index of the first axis; at rank 1 a reference to the element.
    template <class Config = current_config, class Index>
    constexpr decltype(auto) operator[](const Index& index) & noexcept {
        return detail::sub_view<Config, basic_tensor>(elements + 0, index);
    }
    template <class Config = current_config, class Index>
    constexpr decltype(auto) operator[](const Index& index) const& noexcept {
        return detail::sub_view<Config, basic_tensor>(elements + 0, index);
    }
    template <class Index>
    const Element& operator[](  // ashlar: view: a view of a temporary would dangle; name the tensor first
        Index) const&& = delete;

    constexpr Element* data() & noexcept { return elements; }
    constexpr const Element* data() const& noexcept { return elements; }
    Element* data() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    /// All elements in row-major order.
    constexpr Element* begin() & noexcept { return elements; }
    constexpr const Element* begin() const& noexcept { return elements; }
    Element* begin() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first
    constexpr Element* end() & noexcept { return elements + size(); }
    constexpr const Element* end() const& noexcept { return elements + size(); }
    Element* end() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    /// A tensor of rank 0 converts to its element.
    ASHLAR_ALWAYS_INLINE constexpr operator Element() const noexcept
        requires(sizeof...(Dims) == 0)
    {
        return elements[0];
    }
};

/// An owning tensor: a `basic_tensor` whose integer dimensions are std::size_t, so that `tensor<float, 6>` and
/// `tensor<float, 6u>` are one type.
///
///     tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
///     tensor<float> pi = 3.14159f;   // rank 0: a number
template <class Element, auto... Dims>
using tensor = basic_tensor<Element, detail::canonical(Dims)...>;

/// A tensor of the given dimensions, of zeros.
///
///     static auto state = zeros<float, 64, 64>();
template <class Element, auto... Dims, class Config = current_config>
constexpr tensor<Element, Dims...> zeros() noexcept {
    return tensor<Element, Dims...>{};
}

/// A tensor of the given dimensions, of one value.
///
///     auto t = full<float, 2, 3>(1);
template <class Element, auto... Dims, class Config = current_config>
constexpr tensor<Element, Dims...> full(Element value) noexcept {
    tensor<Element, Dims...> result;
    for (Element& element : result) element = value;
    return result;
}

/// A tensor of the given dimensions: 0, 1, 2, ... in row-major order.
///
///     static_assert(all(iota<float, 2, 2>() == tensor<float, 2, 2>{{0, 1}, {2, 3}}));
template <class Element, auto... Dims, class Config = current_config>
constexpr tensor<Element, Dims...> iota() noexcept {
    tensor<Element, Dims...> result;
    for (std::size_t i = 0; i < result.size(); ++i) result.elements[i] = static_cast<Element>(i);
    return result;
}

/// The Extent by Extent matrix with ones on its diagonal; Extent is an integer or an axis.
///
///     static_assert(all(identity<float, 2>() == tensor<float, 2, 2>{{1, 0}, {0, 1}}));
template <class Element, auto Extent, class Config = current_config>
constexpr tensor<Element, Extent, Extent> identity() noexcept {
    tensor<Element, Extent, Extent> result{};
    for (std::size_t i = 0; i < result.size(); i += result.extents[0] + 1) result.elements[i] = Element{1};
    return result;
}

namespace detail {

using refused_dimensions = refused_call<
    "ashlar: tensor: element type and dimensions are template arguments; write zeros<float, 4, 8>(), full<float, 4, 8>(1), iota<float, 8>()">;

template <auto... Given>
struct template_arguments {
    static constexpr bool begin_with_a_type = false;
};
template <auto... Given>
consteval float refuse_dimensions() {
    static_assert(
        template_arguments<Given...>::begin_with_a_type,
        "ashlar: tensor: the element type comes before the dimensions; write zeros<float, 4, 8>(), iota<float, 8>()");
    return 0;
}

}  // namespace detail

template <auto First, auto... Rest>
constexpr auto zeros() noexcept {
    return detail::refuse_dimensions<First, Rest...>();
}
template <auto First, auto... Rest>
constexpr auto iota() noexcept {
    return detail::refuse_dimensions<First, Rest...>();
}
template <auto First, auto... Rest>
constexpr auto identity() noexcept {
    return detail::refuse_dimensions<First, Rest...>();
}
template <auto... Given>
void zeros(detail::refused_dimensions, detail::any_argument = {}, detail::any_argument = {});
template <class Element, auto... Given>
void zeros(detail::refused_dimensions, detail::any_argument = {}, detail::any_argument = {});
template <class Element, auto... Given>
void full(detail::refused_dimensions, detail::any_argument, detail::any_argument = {});
template <auto... Given>
void full(detail::refused_dimensions, detail::any_argument = {}, detail::any_argument = {});
template <class Element, auto... Given>
void iota(detail::refused_dimensions, detail::any_argument = {});
template <auto... Given>
void iota(detail::refused_dimensions, detail::any_argument = {});
template <class Element, auto... Given>
void identity(detail::refused_dimensions, detail::any_argument = {});

/// The tensor of the given dimensions whose element at i, j, ... is f(i, j, ...), called with std::size_t in row-major
/// order.
///
///     auto t = generate<float, 4, 4>([](auto i, auto j) { return i >= j ? 0.0f : -1.0f; });
template <class Element, auto... Dims, class Function, class Config = current_config>
constexpr tensor<Element, Dims...> generate(Function&& f) noexcept(noexcept(f((static_cast<void>(Dims),
                                                                               std::size_t{})...))) {
    tensor<Element, Dims...> result;
    std::array<std::size_t, sizeof...(Dims)> at{};
    for (Element& element : result) {
        element = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return static_cast<Element>(f(std::size_t{at[Index]}...));
        }(std::make_index_sequence<sizeof...(Dims)>{});
        for (std::size_t axis = sizeof...(Dims); axis-- > 0;) {
            if (++at[axis] < result.extents[axis]) break;
            at[axis] = 0;
        }
    }
    return result;
}

}  // namespace ashlar
