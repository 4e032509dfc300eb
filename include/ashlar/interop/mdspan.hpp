// SPDX-License-Identifier: BSL-1.0
// Conversions between tensors or views and std::mdspan, or that of Kokkos. Extents and layouts stay constants.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <version>

#if __has_include(<mdspan>)
#include <mdspan>
#endif
#if !defined(__cpp_lib_mdspan) && __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
#endif

#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/interop/layout/foreign_layout.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// An mdspan of any library over plain memory. Accessors that compute are excluded.
template <class Span>
concept any_mdspan = !any_expression<Span> && requires(const Span& span) {
    typename Span::layout_type;
    typename Span::mapping_type;
    typename Span::extents_type;
    requires any_element<typename Span::element_type>;
    requires std::same_as<typename Span::data_handle_type, typename Span::element_type*>;
    requires std::same_as<typename Span::reference, typename Span::element_type&>;
    span.data_handle();
    span.mapping();
};

/// The extents of a mapping with others in their place.
template <class Extents>
struct rebound_extents;
template <template <class, std::size_t...> class Extents, class Index, std::size_t... Old>
struct rebound_extents<Extents<Index, Old...>> {
    template <std::size_t... New>
    using type = Extents<Index, New...>;
    static constexpr std::array<std::size_t, sizeof...(Old)> values{Old...};
    static constexpr bool constant = ((Old != static_cast<std::size_t>(-1)) && ... && true);
    using shape_type = shape<Old...>;
};

/// The mapping of an mdspan's layout for a shape.
template <class Span, class Shape>
struct mapping_for;
template <class Span, auto... Dims>
struct mapping_for<Span, shape<Dims...>> {
    using extents_type = typename rebound_extents<typename Span::extents_type>::template type<extent_of(Dims)...>;
    using type = typename Span::layout_type::template mapping<extents_type>;
    /// A mapping without state has constants for strides: layout_right and layout_left, but not layout_stride.
    static constexpr bool constant = std::is_empty_v<type> && type::is_always_strided() && type::is_always_unique();
    static consteval auto strides() {
        std::array<std::ptrdiff_t, sizeof...(Dims)> result{};
        if constexpr (sizeof...(Dims) > 0)  // mappings without axes have no strides to ask for
            for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::ptrdiff_t>(type{}.stride(i));
        return spelled_out(result);
    }
};

/// Whether the type of an mdspan tells every extent and stride.
template <class Span>
struct mdspan_type {
    using extents_type = rebound_extents<typename Span::extents_type>;
    static consteval bool check() {
        if constexpr (extents_type::constant)
            return mapping_for<Span, typename extents_type::shape_type>::constant;
        else
            return false;
    }
    static constexpr bool tells_shape = check();
};

/// Whether an mdspan can have a shape: as many axes, and where its type has the extent, that one.
template <class Span, class Shape>
struct mdspan_shape {
    static consteval bool check() {
        constexpr auto extents = rebound_extents<typename Span::extents_type>::values;
        if (extents.size() != Shape::rank) return false;
        if constexpr (extents.size() == Shape::rank)
            for (std::size_t i = 0; i < Shape::rank; ++i)
                if (extents[i] != static_cast<std::size_t>(-1) && extents[i] != Shape::extents[i]) return false;
        return true;
    }
    static constexpr bool matches = check();
};

/// Whether the layout of an mdspan tells the strides of a shape.
template <class Span, class Shape>
struct mdspan_layout {
    static constexpr bool tells_strides = mapping_for<Span, Shape>::constant;
};

/// Whether an mdspan has the extents and strides of a view.
template <class View, class Span>
ASHLAR_ALWAYS_INLINE constexpr bool is_laid_out_as(const Span& span) noexcept {
    constexpr std::size_t rank = View::shape_type::rank;
    std::array<std::ptrdiff_t, rank> strides{};
    if (!span.mapping().is_strided()) return false;
    if constexpr (rank > 0)
        for (std::size_t i = 0; i < rank; ++i) {
            if (static_cast<std::size_t>(span.extents().extent(i)) != View::extents[i]) return false;
            strides[i] = static_cast<std::ptrdiff_t>(span.mapping().stride(i));
        }
    return same_strides(View::extents, strides, View::strides);
}

/// The view of an mdspan at given or known strides; of a refused one none.
template <class Span, class Shape>
consteval auto mdspan_strides() {
    static_assert(mdspan_shape<Span, Shape>::matches,
                  "ashlar: mdspan: the dimensions must be as many as the mdspan's, and equal where its type has them");
    if constexpr (mdspan_shape<Span, Shape>::matches) {
        static_assert(
            mdspan_layout<Span, Shape>::tells_strides,
            "ashlar: mdspan: layout_stride has its strides at run time; write strided_view_of<strides, 4, 8>(m)");
        if constexpr (mdspan_layout<Span, Shape>::tells_strides) return mapping_for<Span, Shape>::strides();
    }
    if constexpr (!mdspan_shape<Span, Shape>::matches)
        return spelled_out(row_major_strides(Shape::extents));
    else if constexpr (!mdspan_layout<Span, Shape>::tells_strides)
        return spelled_out(row_major_strides(Shape::extents));
}

template <class Span, class Shape>
using mdspan_view = view_at<typename Span::element_type, Shape, mdspan_strides<Span, Shape>()>;

}  // namespace detail

/// A view of an mdspan whose extents and layout are part of its type: a `tensor_view` of layout_right, a `strided_view`
/// of layout_left. The memory must outlive it.
///
///     std::mdspan<float, std::extents<std::size_t, 4, 8>> m(memory);
///     auto x = view_of(m);   // tensor_view<float, 4, 8>
template <detail::any_mdspan Span>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto view_of(const Span& span) noexcept {
    static_assert(detail::mdspan_type<Span>::tells_shape,
                  "ashlar: mdspan: its type does not tell the shape; write view_of<4, 8>(m), try_view_of<4, 8>(m)");
    if constexpr (detail::mdspan_type<Span>::tells_shape) {
        using shape_type = typename detail::rebound_extents<typename Span::extents_type>::shape_type;
        return detail::make_view<typename Span::element_type, shape_type,
                                 detail::mapping_for<Span, shape_type>::strides()>(span.data_handle());
    } else {
        return tensor_view<typename Span::element_type>(span.data_handle());
    }
}

/// A view with given dimensions, integers or axes, of an mdspan of any extents in layout_right or layout_left. Extents
/// in the mdspan's type are checked by the compiler, those known at run time are asserted.
///
///     auto q = view_of<seq, 32>(std::mdspan(memory, 64, 32));
template <auto... Dims, detail::any_mdspan Span, class Config = current_config>
    requires(sizeof...(Dims) > 0)
[[nodiscard]] constexpr auto view_of(const Span& span) noexcept {
    using view = detail::mdspan_view<Span, detail::shape_of_dims<Dims...>>;
    ASHLAR_ASSERT(detail::is_laid_out_as<view>(span),
                  "ashlar: mdspan: the extents at run time must be those of the view");
    return view(span.data_handle());
}

/// As `view_of<Dims...>(m)`, but std::nullopt if the extents at run time are others.
///
///     if (auto x = try_view_of<4, 8>(std::mdspan(memory, 4, 8))) *x *= 2.0f;
template <auto... Dims, detail::any_mdspan Span, class Config = current_config>
    requires(sizeof...(Dims) > 0)
[[nodiscard]] constexpr auto try_view_of(const Span& span) noexcept {
    using view = detail::mdspan_view<Span, detail::shape_of_dims<Dims...>>;
    return detail::is_laid_out_as<view>(span) ? std::optional<view>(std::in_place, span.data_handle()) : std::nullopt;
}

/// A view at given strides, in elements, of an mdspan in any strided layout, layout_stride above all. Extents and
/// strides known at run time are asserted.
///
///     constexpr std::array<std::ptrdiff_t, 2> strides{16, 1};   // the left half of rows of 16
///     std::layout_stride::mapping layout(std::extents<int, 4, 8>{}, std::array{16, 1});
///     auto x = strided_view_of<strides, 4, 8>(std::mdspan(memory, layout));
template <auto Strides, auto... Dims, detail::any_mdspan Span, class Config = current_config>
[[nodiscard]] constexpr auto strided_view_of(const Span& span) noexcept {
    using view = detail::view_at<typename Span::element_type, detail::shape_of_dims<Dims...>, Strides>;
    static_assert(detail::mdspan_shape<Span, detail::shape_of_dims<Dims...>>::matches,
                  "ashlar: mdspan: the dimensions must be as many as the mdspan's, and equal where its type has them");
    if constexpr (detail::mdspan_shape<Span, detail::shape_of_dims<Dims...>>::matches)
        ASHLAR_ASSERT(detail::is_laid_out_as<view>(span),
                      "ashlar: mdspan: the extents at run time must be those of the view");
    return view(span.data_handle());
}

/// As `strided_view_of<Strides, Dims...>(m)`, but std::nullopt if extents or strides are others.
/// Example: `strided_view_of`.
template <auto Strides, auto... Dims, detail::any_mdspan Span, class Config = current_config>
[[nodiscard]] constexpr auto try_strided_view_of(const Span& span) noexcept {
    using view = detail::view_at<typename Span::element_type, detail::shape_of_dims<Dims...>, Strides>;
    static_assert(detail::mdspan_shape<Span, detail::shape_of_dims<Dims...>>::matches,
                  "ashlar: mdspan: the dimensions must be as many as the mdspan's, and equal where its type has them");
    bool fits = false;
    if constexpr (detail::mdspan_shape<Span, detail::shape_of_dims<Dims...>>::matches)
        fits = detail::is_laid_out_as<view>(span);
    return fits ? std::optional<view>(std::in_place, span.data_handle()) : std::nullopt;
}

#if defined(__cpp_lib_mdspan) || defined(MDSPAN_IMPL_STANDARD_NAMESPACE)
namespace detail {

#if defined(__cpp_lib_mdspan)
namespace mdspan_library = std;
#else
namespace mdspan_library = MDSPAN_IMPL_STANDARD_NAMESPACE;
#endif

/// Whether a view can be an mdspan: layout_stride wants positive strides, and an element for each index.
template <class View>
struct mdspan_strides_of {
    static constexpr bool are_unique = is_one_to_one(View::extents, View::strides);
};

template <class Shape>
struct mdspan_extents;
template <auto... Dims>
struct mdspan_extents<shape<Dims...>> {
    using type = mdspan_library::extents<std::size_t, extent_of(Dims)...>;
};

}  // namespace detail

/// The mdspan of a named tensor or a view, with its extents as constants: in layout_right if it is row-major, in
/// layout_left if it is the transpose of that, else in layout_stride. Names of axes are dropped. std::mdspan where the
/// standard library has it, else the one of <mdspan/mdspan.hpp>.
///
///     tensor<float, 4, 8> t{};
///     auto m = mdspan_of(t);   // std::mdspan<float, std::extents<std::size_t, 4, 8>>
template <class Array>
    requires detail::viewable<Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto mdspan_of(Array&& array) noexcept {
    using view = std::remove_cvref_t<Array>;
    using element_type = std::remove_pointer_t<decltype(array.data())>;
    using extents_type = typename detail::mdspan_extents<typename view::shape_type>::type;
    if constexpr (detail::is_row_major(view::extents, view::strides)) {
        return detail::mdspan_library::mdspan<element_type, extents_type, detail::mdspan_library::layout_right>(
            array.data());
    } else if constexpr (detail::same_strides(view::extents, view::strides,
                                              detail::column_major_strides(view::extents))) {
        return detail::mdspan_library::mdspan<element_type, extents_type, detail::mdspan_library::layout_left>(
            array.data());
    } else {
        static_assert(detail::mdspan_strides_of<view>::are_unique,
                      "ashlar: mdspan: strides must be positive, with one element for each index; make a tensor of it");
        using mapping = detail::mdspan_library::layout_stride::mapping<extents_type>;
        std::array<std::size_t, view::rank> strides{};
        for (std::size_t i = 0; i < view::rank; ++i)  // those of axes of extent 1 may be zero here, but not there
            strides[i] = view::strides[i] > 0 ? static_cast<std::size_t>(view::strides[i]) : 1;
        return detail::mdspan_library::mdspan<element_type, extents_type, detail::mdspan_library::layout_stride>(
            array.data(), mapping(extents_type{}, strides));
    }
}
template <detail::owner Array>
Array& mdspan_of(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first
#endif

}  // namespace ashlar
