// SPDX-License-Identifier: BSL-1.0
// Eigen: views of matrices, maps and blocks, and maps of tensors and views, without a copy and in the right order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <Eigen/Core>

#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/interop/layout/foreign_layout.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// A matrix, vector, map or block of Eigen whose elements are in memory; the type of a forwarding reference.
template <class Matrix>
concept eigen_memory = requires(std::remove_reference_t<Matrix>& matrix) {
    requires(bool((unsigned{std::remove_cvref_t<Matrix>::Flags} & Eigen::DirectAccessBit) != 0));
    requires any_element<typename std::remove_cvref_t<Matrix>::Scalar>;
    matrix.data();
    matrix.innerStride();
    matrix.outerStride();
};

template <class Matrix>
using eigen_element = std::remove_pointer_t<decltype(std::declval<std::remove_reference_t<Matrix>&>().data())>;

/// Whether the elements of a matrix, map or block are numbers in memory.
template <class Matrix>
struct eigen_elements {
    static constexpr bool are_in_memory = eigen_memory<const Matrix&>;
};

/// Whether a type of Eigen owns its elements: a matrix does, and a Ref of const elements may own a copy.
template <class Matrix>
inline constexpr bool may_own_elements = std::is_base_of_v<Eigen::PlainObjectBase<Matrix>, Matrix>;
template <class Matrix, int Options, class Strides>
inline constexpr bool may_own_elements<Eigen::Ref<const Matrix, Options, Strides>> = true;

/// Whether memory outlives the expression that names it: that of a temporary Eigen::Matrix does not.
template <class Matrix>
struct eigen_lifetime {
    static constexpr bool is_long_enough =
        std::is_lvalue_reference_v<Matrix> || !may_own_elements<std::remove_cvref_t<Matrix>>;
};

/// The shape and strides that a matrix type states. Dynamic means that they are known at run time only.
template <class Matrix>
struct eigen_layout {
    using type = std::remove_cvref_t<Matrix>;
    static constexpr std::ptrdiff_t dynamic = Eigen::Dynamic;
    static constexpr std::ptrdiff_t rows = int{type::RowsAtCompileTime}, columns = int{type::ColsAtCompileTime},
                                    inner = int{type::InnerStrideAtCompileTime},
                                    outer = int{type::OuterStrideAtCompileTime};
    static constexpr bool is_vector = bool(type::IsVectorAtCompileTime), is_row_major = bool(type::IsRowMajor),
                          is_fixed = rows != dynamic && columns != dynamic && inner != dynamic &&
                                     (is_vector || outer != dynamic);

    static consteval auto shape_of_type() {
        if constexpr (!is_fixed)
            return shape<>{};
        else if constexpr (is_vector)
            return shape<static_cast<std::size_t>(rows * columns)>{};
        else
            return shape<static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)>{};
    }
    using shape_type = decltype(shape_of_type());

    /// The strides of a view of Shape, a vector or a matrix. Those that the type does not tell are the dense ones.
    template <class Shape>
    static consteval auto strides() {
        constexpr std::ptrdiff_t step = inner == dynamic ? 1 : inner;
        if constexpr (Shape::rank == 1) {
            return std::array<std::ptrdiff_t, 1>{step};
        } else {
            constexpr auto first = static_cast<std::ptrdiff_t>(Shape::extents[0]),
                           second = static_cast<std::ptrdiff_t>(Shape::extents[1]);
            constexpr std::ptrdiff_t dense = step * (is_row_major ? second : first),
                                     jump = outer == dynamic || is_vector ? dense : outer;
            return is_row_major ? std::array<std::ptrdiff_t, 2>{jump, step} : std::array<std::ptrdiff_t, 2>{step, jump};
        }
    }
};

/// Whether a matrix can have a shape: of two axes, or of one if it is a vector, and where its type has the extent,
/// that.
template <class Matrix, class Shape>
struct eigen_shape {
    using layout = eigen_layout<Matrix>;
    static constexpr bool fits(std::ptrdiff_t of_type, std::size_t extent) {
        return of_type == layout::dynamic || of_type == static_cast<std::ptrdiff_t>(extent);
    }
    static consteval bool check() {
        if constexpr (Shape::rank == 1)
            return layout::is_vector && fits(layout::rows == 1 ? layout::columns : layout::rows, Shape::extents[0]);
        else if constexpr (Shape::rank == 2)
            return fits(layout::rows, Shape::extents[0]) && fits(layout::columns, Shape::extents[1]);
        else
            return false;
    }
    static constexpr bool matches = check();
};

/// The strides of a view of a matrix as Shape; of a refused shape those of dense rows.
template <class Matrix, class Shape>
consteval auto eigen_strides_of() {
    if constexpr (eigen_shape<Matrix, Shape>::matches)
        return spelled_out(eigen_layout<Matrix>::template strides<Shape>());
    else
        return spelled_out(row_major_strides(Shape::extents));
}
template <class Matrix, class Shape, auto Strides>
struct eigen_view {
    using type = view_at<eigen_element<Matrix>, Shape, Strides>;
};
template <class Matrix, class Shape>
using eigen_view_of = typename eigen_view<Matrix, Shape, eigen_strides_of<Matrix, Shape>()>::type;

/// Whether a matrix has the extents and strides of a view.
template <class View, class Matrix>
ASHLAR_ALWAYS_INLINE constexpr bool is_eigen_laid_out_as(const Matrix& matrix) noexcept {
    const auto inner = static_cast<std::ptrdiff_t>(matrix.innerStride()),
               outer = static_cast<std::ptrdiff_t>(matrix.outerStride());
    if constexpr (View::shape_type::rank == 1) {
        return static_cast<std::size_t>(matrix.size()) == View::extents[0] &&
               same_strides(View::extents, {inner}, View::strides);
    } else if constexpr (View::shape_type::rank == 2) {
        const std::array<std::ptrdiff_t, 2> strides =
            Matrix::IsRowMajor ? std::array{outer, inner} : std::array{inner, outer};
        return static_cast<std::size_t>(matrix.rows()) == View::extents[0] &&
               static_cast<std::size_t>(matrix.cols()) == View::extents[1] &&
               same_strides(View::extents, strides, View::strides);
    } else {
        return false;
    }
}

template <class Matrix, class Shape = typename eigen_layout<Matrix>::shape_type>
consteval void check_eigen_view() {
    static_assert(eigen_lifetime<Matrix>::is_long_enough,
                  "ashlar: eigen: a view of a temporary matrix would dangle; name the matrix first");
    if constexpr (Shape::rank != 0)
        static_assert(eigen_shape<Matrix, Shape>::matches,
                      "ashlar: eigen: a view of a matrix has its rows and columns, that of a vector one axis or both");
}

}  // namespace detail

/// A view of a matrix, map or block of Eigen whose type has its extents and strides. A vector has one axis. A
/// column-major matrix, Eigen's default, is a `strided_view` with its rows first. The matrix must outlive the view.
///
///     Eigen::Matrix<float, 4, 8> m;
///     auto x = view_of(m);   // [4, 8]; x(i, j) is m(i, j)
template <detail::eigen_memory Matrix>
[[nodiscard]] constexpr auto view_of(Matrix&& matrix) noexcept {
    detail::check_eigen_view<Matrix>();
    using layout = detail::eigen_layout<Matrix>;
    static_assert(layout::is_fixed, "ashlar: eigen: its type does not tell the shape; write view_of<4, 8>(m)");
    using view = detail::eigen_view_of<Matrix, typename layout::shape_type>;
    return view(matrix.data());
}

template <auto... Dims, class Derived>
    requires(!detail::eigen_memory<const Derived&>)
constexpr auto view_of(const Eigen::EigenBase<Derived>&) noexcept {
    static_assert(detail::eigen_elements<Derived>::are_in_memory,
                  "ashlar: eigen: no memory of numbers; m.eval() has it");
    return tensor_view<float>(static_cast<float*>(nullptr));
}

/// A view with given dimensions, integers or axes, of a matrix of any extents. Extents in the matrix' type are checked
/// by the compiler. Others are asserted, and so are strides: dense ones where the type does not have them.
///
///     Eigen::MatrixXf m(64, 32);
///     auto x = view_of<seq, 32>(m);
template <auto... Dims, detail::eigen_memory Matrix, class Config = current_config>
    requires(sizeof...(Dims) > 0)
[[nodiscard]] constexpr auto view_of(Matrix&& matrix) noexcept {
    detail::check_eigen_view<Matrix, detail::shape_of_dims<Dims...>>();
    using view = detail::eigen_view_of<Matrix, detail::shape_of_dims<Dims...>>;
    ASHLAR_ASSERT(detail::is_eigen_laid_out_as<view>(matrix),
                  "ashlar: eigen: extents and strides at run time must be those of the view");
    return view(matrix.data());
}

/// As `view_of<Dims...>(m)`, but std::nullopt if extents or strides at run time are others.
///
///     Eigen::MatrixXf m(4, 8);
///     if (auto x = try_view_of<4, 8>(m)) *x *= 2.0f;
template <auto... Dims, detail::eigen_memory Matrix, class Config = current_config>
    requires(sizeof...(Dims) > 0)
[[nodiscard]] constexpr auto try_view_of(Matrix&& matrix) noexcept {
    detail::check_eigen_view<Matrix, detail::shape_of_dims<Dims...>>();
    using view = detail::eigen_view_of<Matrix, detail::shape_of_dims<Dims...>>;
    return detail::is_eigen_laid_out_as<view>(matrix) ? std::optional<view>(std::in_place, matrix.data())
                                                      : std::nullopt;
}

/// A view at given strides, in elements, of a matrix whose type does not have them: a block of an Eigen::MatrixXf, or a
/// map with run-time strides. What the type does not tell is asserted.
///
///     Eigen::MatrixXf m(16, 32);
///     constexpr std::array<std::ptrdiff_t, 2> strides{1, 16};
///     auto x = strided_view_of<strides, 4, 8>(m.block(0, 0, 4, 8));
template <auto Strides, auto... Dims, detail::eigen_memory Matrix, class Config = current_config>
[[nodiscard]] constexpr auto strided_view_of(Matrix&& matrix) noexcept {
    detail::check_eigen_view<Matrix, detail::shape_of_dims<Dims...>>();
    using view = typename detail::eigen_view<Matrix, detail::shape_of_dims<Dims...>, Strides>::type;
    ASHLAR_ASSERT(detail::is_eigen_laid_out_as<view>(matrix),
                  "ashlar: eigen: extents and strides at run time must be those of the view");
    return view(matrix.data());
}

namespace detail {

/// Whether an array can be a map.
template <class Shape>
struct eigen_rank {
    static constexpr bool is_one_or_two = Shape::rank == 1 || Shape::rank == 2;
};
template <class View>
struct eigen_strides {
    static consteval bool check() {
        for (std::size_t i = 0; i < View::shape_type::rank; ++i)
            if (View::extents[i] != 1 && View::strides[i] <= 0) return false;
        return true;
    }
    static constexpr bool are_positive = check();
};

/// The Eigen::Map of an array of one or two axes.
template <class View, class Element, int Alignment>
struct eigen_map {
    static constexpr std::size_t rank = View::shape_type::rank;
    static constexpr auto rows = static_cast<int>(View::extents[0]), columns = static_cast<int>([] {
                                                                         if constexpr (rank == 2)
                                                                             return View::extents[1];
                                                                         return std::size_t{1};
                                                                     }());
    static constexpr auto row_step = static_cast<int>(View::strides[0]), column_step = static_cast<int>([] {
                                                                             if constexpr (rank == 2)
                                                                                 return View::strides[1];
                                                                             return std::ptrdiff_t{1};
                                                                         }());
    // Eigen wants columns to be column-major, and rows row-major.
    static constexpr bool by_rows = rows == 1 || (columns != 1 && !(row_step == 1 && column_step != 1));
    static constexpr int inner_size = by_rows ? columns : rows, outer_size = by_rows ? rows : columns,
                         inner_step = by_rows ? column_step : row_step, outer_step = by_rows ? row_step : column_step,
                         inner = inner_size == 1 ? 1 : inner_step, dense = inner * inner_size,
                         outer = outer_size == 1 ? dense : outer_step;
    using matrix =
        Eigen::Matrix<std::remove_const_t<Element>, rows, columns, by_rows ? Eigen::RowMajor : Eigen::ColMajor>;
    using mapped = std::conditional_t<std::is_const_v<Element>, const matrix, matrix>;
    using stride =
        std::conditional_t<inner == 1 && outer == dense, Eigen::Stride<0, 0>,
                           std::conditional_t<inner == 1, Eigen::OuterStride<outer>, Eigen::Stride<outer, inner>>>;
    using type = Eigen::Map<mapped, Alignment, stride>;
};

/// The alignment that Eigen may assume. Tensors are aligned by their type, views are not.
template <class Array>
consteval int eigen_alignment() {
    if constexpr (!is_tensor<Array>)
        return Eigen::Unaligned;
    else
        return alignof(Array) >= 64   ? Eigen::Aligned64
               : alignof(Array) == 32 ? Eigen::Aligned32
               : alignof(Array) == 16 ? Eigen::Aligned16
                                      : Eigen::Unaligned;
}

}  // namespace detail

/// The Eigen::Map of a named tensor or a view of one or two axes, of fixed size: row-major or column-major as the array
/// is, with its strides as constants, and aligned if it is a tensor. One axis is a column. The map of const elements
/// cannot be written.
///
///     tensor<float, 4, 8> t{};
///     Eigen::Matrix<float, 4, 4> gram = eigen_of(t) * eigen_of(t).transpose();
template <class Array>
    requires detail::viewable<Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto eigen_of(Array&& array) noexcept {
    using array_type = std::remove_cvref_t<Array>;
    using element_type = std::remove_pointer_t<decltype(array.data())>;
    static_assert(detail::eigen_rank<typename array_type::shape_type>::is_one_or_two,
                  "ashlar: eigen: a matrix has one or two axes; map t[i], or reshape");
    if constexpr (detail::eigen_rank<typename array_type::shape_type>::is_one_or_two) {
        static_assert(detail::eigen_strides<array_type>::are_positive,
                      "ashlar: eigen: strides must be positive; make a tensor of it");
        return typename detail::eigen_map<array_type, element_type, detail::eigen_alignment<array_type>()>::type(
            array.data());
    } else {
        return Eigen::Map<Eigen::Matrix<std::remove_const_t<element_type>, 1, 1>>(nullptr);
    }
}
template <detail::owner Array>
Array& eigen_of(const Array&&) = delete;  // ashlar: view: a view of a temporary would dangle; name the tensor first

}  // namespace ashlar
