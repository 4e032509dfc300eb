// SPDX-License-Identifier: BSL-1.0
// The tensor: owning, dense, row-major storage whose shape is part of its type.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/index.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar {

namespace detail {

/// Whether a tensor can hold elements of a type.
template <class T>
struct tensor_element {
    static constexpr bool allowed = element<T> && !std::is_const_v<T> && !std::is_volatile_v<T>;
};

/// Any braces or value: what the constructors of a tensor's own rank do not take ends here, for the sake of its error.
struct any_braces {
    any_braces(long double);
    any_braces(std::initializer_list<any_braces>);
};

/// Whether braces of some nesting are those of a shape.
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
        static_assert(brace_extent<given, expected>::matches,
                      "ashlar: tensor: each row in braces must have as many values as the axis it fills; add or remove "
                      "values");
    else
        static_assert(brace_extent<given, expected>::matches,
                      "ashlar: tensor: braces must have as many rows as the axis they fill; add or remove rows");
    return given == expected;
}

/// Zeros for a tensor whose value was refused: left as it is, it would be an error more in a constant expression.
template <class Config, class T, std::size_t N>
constexpr void clear(T (&values)[N]) noexcept {
    for (T& value : values) value = T{};
}

template <class Config, class T, std::size_t N>
constexpr T* copy_braces(const T (&values)[N], T* to) noexcept {
    for (const T& value : values) *to++ = value;
    return to;
}
template <class Config, class T, std::size_t N, std::size_t M>
constexpr T* copy_braces(const T (&rows)[N][M], T* to) noexcept {
    for (const auto& row : rows) to = copy_braces<Config>(row, to);
    return to;
}
template <class Config, class T, std::size_t N, std::size_t M, std::size_t K>
constexpr T* copy_braces(const T (&blocks)[N][M][K], T* to) noexcept {
    for (const auto& block : blocks) to = copy_braces<Config>(block, to);
    return to;
}

}  // namespace detail

/// An owning tensor of rank 0 (a scalar) to any: dense, row-major, trivially copyable, without padding
/// (`sizeof == size * sizeof(T)`), usable in constant expressions and as a template argument. Its alignment is the
/// largest power of two, at most 64, that divides its bytes. As with std::array, `tensor<...> t;` is uninitialised and
/// `tensor<...> t{};` is zero. Write `tensor<T, Dims...>`; templates deduce through basic_tensor.
///
///     tensor<float, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
///     t(0, 2) = 7;
///     t[1] = t[0];   // writes the second row
template <class T, auto... Dims>
struct basic_tensor {
    static_assert(detail::tensor_element<T>::allowed,
                  "ashlar: tensor: elements must be bool, integers or floating-point numbers, and not const; a view "
                  "may be of const ones");
    static_assert(detail::tensor_extents<sizeof(T), Dims...>::valid,
                  "ashlar: tensor: every extent must be at least 1 and the size addressable");

    using value_type = T;
    using element_type = T;
    using shape_type = shape<Dims...>;
    using expression_category = array_category;

    static constexpr std::integral_constant<std::size_t, shape_type::rank> rank{};
    static constexpr std::array<std::size_t, shape_type::rank> extents = shape_type::extents;
    /// The number of elements: `T::size` and `t.size()`.
    static constexpr std::integral_constant<std::size_t, shape_type::size> size{};
    /// Row-major strides in elements.
    static constexpr std::array<std::ptrdiff_t, shape_type::rank> strides = detail::row_major_strides(extents);

    /// The elements in row-major order. Public only so that tensors are structural types.
    alignas(detail::alignment_for(shape_type::size * sizeof(T), alignof(T))) T elements[shape_type::size];

    basic_tensor() = default;
    basic_tensor(const basic_tensor&) = default;
    basic_tensor& operator=(const basic_tensor&) = default;

    /// From all values in row-major order; explicit unless the rank is 1 (or 0).
    // Only the first type is constrained: clang refuses a constraint on more than 256 of them.
    template <element First, class... Rest, class Config = current_config>
    constexpr explicit(sizeof...(Dims) > 1 || (sizeof...(Dims) == 1 && sizeof...(Rest) == 0))
        basic_tensor(First first, Rest... rest) noexcept {
        static_assert(detail::brace_extent<1 + sizeof...(Rest), shape_type::size>::matches,
                      "ashlar: tensor: flat braces must have as many values as the tensor has elements; zeros<> or "
                      "full<> make constant ones");
        if constexpr (1 + sizeof...(Rest) == shape_type::size) {
            const T given[]{detail::element_cast<Config, T>(first), detail::element_cast<Config, T>(rest)...};
            detail::copy_braces<Config>(given, elements);
        } else {
            detail::clear<Config>(elements);
        }
    }

    /// From a C array or doubled braces, at rank 1.
    template <std::size_t N, class Config = current_config>
        requires(sizeof...(Dims) == 1)
    constexpr explicit basic_tensor(const T (&values)[N]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, N>())
            detail::copy_braces<Config>(values, elements);
        else
            detail::clear<Config>(elements);
    }

    /// From nested braces, a level for each axis; up to rank 4.
    template <std::size_t... N, class Config = current_config>
        requires(sizeof...(Dims) == 2 && sizeof...(N) > 0)
    constexpr basic_tensor(const T (&...rows)[N]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(N)>())
            if constexpr (detail::braces_fill<shape_type, 1, N...>()) {
                T* to = elements;
                ((to = detail::copy_braces<Config>(rows, to)), ...);
                return;
            }
        detail::clear<Config>(elements);
    }
    template <std::size_t... N, std::size_t... M, class Config = current_config>
        requires(sizeof...(Dims) == 3 && sizeof...(N) > 0)
    constexpr basic_tensor(const T (&...blocks)[N][M]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(N)>())
            if constexpr (detail::braces_fill<shape_type, 1, N...>())
                if constexpr (detail::braces_fill<shape_type, 2, M...>()) {
                    T* to = elements;
                    ((to = detail::copy_braces<Config>(blocks, to)), ...);
                    return;
                }
        detail::clear<Config>(elements);
    }
    template <std::size_t... N, std::size_t... M, std::size_t... K, class Config = current_config>
        requires(sizeof...(Dims) == 4 && sizeof...(N) > 0)
    constexpr basic_tensor(const T (&...blocks)[N][M][K]) noexcept {
        if constexpr (detail::braces_fill<shape_type, 0, sizeof...(N)>())
            if constexpr (detail::braces_fill<shape_type, 1, N...>())
                if constexpr (detail::braces_fill<shape_type, 2, M...>())
                    if constexpr (detail::braces_fill<shape_type, 3, K...>()) {
                        T* to = elements;
                        ((to = detail::copy_braces<Config>(blocks, to)), ...);
                        return;
                    }
        detail::clear<Config>(elements);
    }
    template <std::size_t... N, class Config = current_config>
        requires(sizeof...(N) > 0)
    constexpr basic_tensor([[maybe_unused]] const detail::any_braces (&...braces)[N]) noexcept {
        static_assert(detail::braces_of<shape_type, N...>::match,
                      "ashlar: tensor: nested braces must have one level for each axis and rows of one length; beyond "
                      "rank 4 use flat braces or generate<>");
        detail::clear<Config>(elements);
    }

    /// Evaluates an expression of the same shape and element type.
    template <expression E, class Config = current_config>
    constexpr basic_tensor(const E& source) noexcept {
        if constexpr (detail::check_assignment<basic_tensor, E>())
            detail::assignment<basic_tensor, E, Config>::run(*this, source);
        else
            detail::clear<Config>(elements);
    }
    /// Evaluates an expression of the same shape and element type, in which this tensor may occur.
    template <expression E, class Config = current_config>
    constexpr basic_tensor& operator=(const E& source) noexcept {
        if constexpr (detail::check_assignment<basic_tensor, E>())
            detail::assignment<basic_tensor, E, Config>::run(*this, source);
        return *this;
    }

    /// Sets every element to a value.
    template <element U, class Config = current_config>
    constexpr basic_tensor& operator=(U value) noexcept {
        detail::assign_value<Config>(*this, value);
        return *this;
    }
    /// A const tensor is not assigned: an error that says so.
    template <class U>
        requires(expression<U> || element<U>)
    constexpr const basic_tensor& operator=(const U&) const noexcept {
        static_assert(detail::assigned_destination<const basic_tensor>::writable,
                      "ashlar: assignment: a const tensor, a view of const elements or of a broadcast cannot be written; "
                      "make a tensor");
        return *this;
    }

    /// The element at one index for each axis; each must be at least 0 and less than the extent (asserted).
    template <class Config = current_config, class... I>
    constexpr T& operator()(const I&... indices) & noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }
    template <class Config = current_config, class... I>
    constexpr const T& operator()(const I&... indices) const& noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }
    /// Of a temporary, the value.
    template <class Config = current_config, class... I>
    constexpr T operator()(const I&... indices) const&& noexcept {
        return elements[detail::offset_of<Config, basic_tensor>(indices...)];
    }

    /// The sub-view at an index of the first axis; at rank 1 a reference to the element.
    template <class Config = current_config, class I>
    constexpr decltype(auto) operator[](const I& index) & noexcept {
        return detail::sub_view<Config, basic_tensor>(elements + 0, index);
    }
    template <class Config = current_config, class I>
    constexpr decltype(auto) operator[](const I& index) const& noexcept {
        return detail::sub_view<Config, basic_tensor>(elements + 0, index);
    }
    template <class I>
    const T& operator[](I) const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    constexpr T* data() & noexcept { return elements; }
    constexpr const T* data() const& noexcept { return elements; }
    T* data() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    /// All elements in row-major order.
    constexpr T* begin() & noexcept { return elements; }
    constexpr const T* begin() const& noexcept { return elements; }
    T* begin() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first
    constexpr T* end() & noexcept { return elements + size(); }
    constexpr const T* end() const& noexcept { return elements + size(); }
    T* end() const&& = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

    /// A tensor of rank 0 converts to its element.
    ASHLAR_ALWAYS_INLINE constexpr operator T() const noexcept
        requires(sizeof...(Dims) == 0)
    {
        return elements[0];
    }
};

/// An owning tensor: a `basic_tensor` whose integer dimensions are std::size_t, so that `tensor<float, 6>` and
/// `tensor<float, 6u>` are one type.
template <class T, auto... Dims>
using tensor = basic_tensor<T, detail::canonical(Dims)...>;

/// A tensor of zeros.
template <class T, auto... Dims, class Config = current_config>
constexpr tensor<T, Dims...> zeros() noexcept {
    return tensor<T, Dims...>{};
}

/// A tensor of one value.
///
///     auto t = full<float, 2, 3>(1);
template <class T, auto... Dims, class Config = current_config>
constexpr tensor<T, Dims...> full(T value) noexcept {
    tensor<T, Dims...> result;
    for (T& element : result) element = value;
    return result;
}

/// 0, 1, 2, ... in row-major order.
template <class T, auto... Dims, class Config = current_config>
constexpr tensor<T, Dims...> iota() noexcept {
    tensor<T, Dims...> result;
    for (std::size_t i = 0; i < result.size(); ++i) result.elements[i] = static_cast<T>(i);
    return result;
}

/// The N by N matrix with ones on its diagonal; N is an integer or an axis.
template <class T, auto N, class Config = current_config>
constexpr tensor<T, N, N> identity() noexcept {
    tensor<T, N, N> result{};
    for (std::size_t i = 0; i < result.size(); i += result.extents[0] + 1) result.elements[i] = T{1};
    return result;
}

/// The tensor whose element at i, j, ... is f(i, j, ...), called with std::size_t in row-major order.
///
///     auto t = generate<float, 4, 4>([](auto i, auto j) { return i >= j ? 0.0f : -1.0f; });
template <class T, auto... Dims, class F, class Config = current_config>
constexpr tensor<T, Dims...> generate(F&& f) noexcept(noexcept(f((static_cast<void>(Dims), std::size_t{})...))) {
    tensor<T, Dims...> result;
    std::array<std::size_t, sizeof...(Dims)> at{};
    for (T& element : result) {
        element = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return static_cast<T>(f(std::size_t{at[I]}...));
        }(std::make_index_sequence<sizeof...(Dims)>{});
        for (std::size_t axis = sizeof...(Dims); axis-- > 0;) {
            if (++at[axis] < result.extents[axis]) break;
            at[axis] = 0;
        }
    }
    return result;
}

}  // namespace ashlar
