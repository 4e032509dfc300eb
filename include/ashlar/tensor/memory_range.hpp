// SPDX-License-Identifier: BSL-1.0
// Memory of other libraries, without including <span> or <vector>: ranges with data() and size(), which can be viewed,
// and types with a layout of their own, which cannot.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/concepts.hpp>

namespace ashlar::inline v0_1::detail {

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

/// A contiguous vector of a library whose matrices have stride members, such as Eigen.
template <class Type>
concept dense_vector = requires {
    requires bool(Type::IsVectorAtCompileTime);
    requires int(Type::InnerStrideAtCompileTime) == 1;
};

/// A matrix or an array of another library: it has rows and columns, or strides, so its elements may be in any order.
/// Those of an Eigen::Matrix are column-major.
template <class Type>
concept foreign_matrix =
    !any_expression<Type> && !dense_vector<std::remove_cv_t<Type>> &&
    (requires(Type& m) { m.rows(); } || requires(Type& m) { m.rows + m.cols; } || requires(Type& m) { m.strides(); } ||
     requires(Type& m) { m.strides[0]; } || requires(Type& m) { m.stride(0); } || requires(Type& m) { m.shape(); } ||
     requires(Type& m) { m.dimensions(); } || requires(Type& m) { m.extent(0); });

/// Memory that has no shape, or another library's: a pointer, an array, a range, a matrix.
template <class Type>
concept foreign_memory =
    !any_expression<Type> && !any_element<std::remove_cvref_t<Type>> &&
    (std::is_pointer_v<std::remove_cvref_t<Type>> || std::is_array_v<std::remove_cvref_t<Type>> ||
     foreign_matrix<std::remove_reference_t<Type>> || requires(Type& r) { r.begin(); } ||
     requires(Type& r) { r.data(); });

/// Memory of another library, or without a shape, whose elements are numbers, not text.
template <class Type>
concept number_memory = foreign_memory<Type> &&
                        (foreign_matrix<std::remove_reference_t<Type>> || requires(std::remove_reference_t<Type>& r) {
                            requires any_element<std::remove_cvref_t<decltype(r[0])>>;
                            requires !std::is_same_v<std::remove_cvref_t<decltype(r[0])>, char>;
                        });

/// Contiguous elements of other libraries: std::array, std::span, std::vector and the like.
template <class Range>
concept memory_range = !any_expression<Range> && !foreign_matrix<Range> && requires(Range& r) {
    requires any_element<std::remove_pointer_t<decltype(r.data())>>;
    requires std::is_integral_v<decltype(r.size())>;
};

/// A range that does not own its elements, so that a temporary of it can be viewed: std::span.
template <class Range>
concept borrowed_memory = memory_range<Range> && requires { std::size_t{Range::extent}; };

/// Reports the assignment of other libraries' memory to a tensor or view, with the right way. No type converts to it,
/// so std::is_assignable is false.
template <fixed_string Text, bool IsMatrix, bool HasExtent>
struct refused_assignment {
    template <class Memory>
        requires(foreign_memory<const Memory&> && foreign_matrix<Memory> == IsMatrix &&
                 (HasExtent || (!std::is_array_v<Memory> && range_extent<Memory>() == unknown_extent)))
    constexpr refused_assignment(const Memory&) = delete;
};
using refused_memory =
    refused_assignment<"ashlar: tensor: memory has no shape; write tensor_view<float, 2, 3>{memory}", false, true>;
using refused_range =
    refused_assignment<"ashlar: tensor: memory has no shape; write tensor_view<float, 2, 3>{memory}", false, false>;
using refused_matrix = refused_assignment<
    "ashlar: view: a foreign matrix may be column-major; transpose(tensor_view<float, 3, 2>{m.data()})", true, true>;

}  // namespace ashlar::detail
